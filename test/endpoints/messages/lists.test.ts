import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { type GivenMail, type SendGrid, startSendGrid } from "../../vendors/sendgrid.ts";
import { connectSendGrid, passTime, settled } from "./messages.ts";

let owner: User;
let vendor: SendGrid;

beforeAll(async () => {
  vendor = await startSendGrid();
  owner = await registerOrganization();
  await connectSendGrid(owner, vendor);
});

afterAll(() => vendor.stop());

const send = (body: object) =>
  http.post("/v1/email-services/emailvendor/send", { token: owner.token, body: { subject: "News", ...body } });

const later = () => new Date(Date.now() + 3_600_000).toISOString();

/** What the vendor has seen with a subject. */
const seen = (subject: string): GivenMail[] =>
  vendor.calls.filter(({ body }) => JSON.stringify(body).includes(subject));

/** The token of the link to unsubscribe. */
const tokenIn = (mail: GivenMail | undefined): string =>
  /\/v1\/public\/unsubscribe\/([^>"]+)>/.exec(JSON.stringify(mail))?.[1] ?? "";

const unsubscribe = (token: string) =>
  http.post(`/v1/public/unsubscribe/${token}`, { form: { "List-Unsubscribe": "One-Click" }, expect: 200 });

describe("an email of POST /v1/email-services/emailvendor/send", () => {
  it("to a list leaves once for each recipient, with a link of their own that unsubscribes with one click", async () => {
    const template = await http.post("/v1/object/template", {
      token: owner.token,
      body: {
        name: "News",
        subject: "News for {{ who }}",
        html: '<p>{{ who }}</p><a href="{{ unsubscribe_url }}">No</a>',
      },
      expect: 201,
    });
    const to_emails = ["one@example.com", "two@example.com"];
    const body = {
      to_emails,
      subject: undefined,
      category: "list",
      template_id: template.body.id,
      merge_data: { who: "<b>" },
    };
    const { body: sent } = await send(body);
    expect(sent.status).toBe("queued");
    for (const { id } of sent.recipients) await settled(owner, id);
    const calls = seen("News for");
    expect(calls).toHaveLength(2);
    const tokens = calls.map(tokenIn);
    expect(new Set(tokens).size).toBe(2);
    for (const [index, one] of calls.entries()) {
      const text = JSON.stringify(one);
      expect(text).toContain("List-Unsubscribe=One-Click");
      expect(text).toContain("&lt;b&gt;");
      // In the header and in the content.
      expect(text.split(tokens[index] ?? "").length - 1).toBeGreaterThan(1);
      expect(text).not.toContain("unsubscribe/recipient");
    }
    await unsubscribe(tokens[0] ?? "");
    const again = (await send({ to_emails, category: "list" })).body;
    expect(again.recipients.map(({ status }: { status: string }) => status).sort()).toEqual(["queued", "suppressed"]);
  });

  it("that is scheduled is not sent to who has been suppressed meanwhile", async () => {
    const late = { to_emails: ["late@example.com"], category: "list" };
    const { body: earlier } = await send({ ...late, subject: "Earlier" });
    await settled(owner, earlier.id);
    const { body: sent } = await send({ ...late, subject: "Later one", send_at: later() });
    expect(sent).toMatchObject({ status: "scheduled", send_at: expect.any(String) });
    await unsubscribe(tokenIn(seen("Earlier")[0]));
    await passTime(owner.organizationId);
    const message = await settled(owner, sent.id, ["suppressed", "sent", "failed"]);
    expect(message).toMatchObject({ status: "suppressed", recipients: [{ status: "suppressed" }] });
    expect(seen("Later one")).toEqual([]);
  });

  it("is refused for a sender whose domain the organization has not proven", async () => {
    for (const from_email of ["ceo@bank.example", `x@sub.${owner.email.split("@")[1]}`, "no-reply@tenantry.invalid"]) {
      const { status, body } = await send({ to_emails: ["ada@example.com"], from_email });
      expect([status, body.code], from_email).toEqual([409, "sender_not_verified"]);
    }
  });

  it("that waits is cancelled by its sender once, and is never sent", async () => {
    const { body: sent } = await send({ to_emails: ["ada@example.com"], subject: "Never", send_at: later() });
    const path = `/v1/email-services/emailvendor/messages/${sent.id}/cancel`;
    expect((await http.post(path, { token: owner.token, expect: 200 })).body).toEqual({
      id: sent.id,
      status: "cancelled",
    });
    await http.post(path, { token: owner.token, expect: 409 });
    await passTime(owner.organizationId);
    await messagesAreHandled(owner);
    expect(seen("Never")).toEqual([]);
  });

  it("carries the files of documents and of the request", async () => {
    const uploaded = await http.post("/v1/documents", {
      token: owner.token,
      query: { name: "notes.txt" },
      raw: "Some notes",
      headers: { "content-type": "text/plain" },
      expect: 201,
    });
    const inline = { filename: "b.txt", type: "text/plain", content: Buffer.from("inline").toString("base64") };
    const { body: sent } = await send({
      to_emails: ["ada@example.com"],
      subject: "With files",
      file_attachments: [uploaded.body.id],
      attachments: [inline],
    });
    await settled(owner, sent.id);
    const call = JSON.stringify(seen("With files"));
    expect(call).toContain(Buffer.from("Some notes").toString("base64"));
    expect(call).toContain(inline.content);
  });
});

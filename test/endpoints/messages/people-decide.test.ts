import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { addUser, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import * as webhooks from "../../setup/webhooks.ts";
import { type SendGrid, startSendGrid } from "../../vendors/sendgrid.ts";
import { connect, fireSchedule, messageOf, settled, statusesOf } from "./messages.ts";

let vendor: SendGrid;
let owner: User;
let member: User;
let keys: webhooks.VendorKeys;

beforeAll(async () => {
  [vendor, owner] = await Promise.all([startSendGrid(), registerOrganization()]);
  member = await addUser(owner.organizationId);
  const pair = webhooks.newKeys();
  keys = pair.keys;
  const value = { api_key: vendor.apiKey, ...pair.value };
  await connect(owner, "emailvendor", "sendgrid", value, { base_url: vendor.origin });
});
afterEach(() => vendor.behave(() => "accept"));
afterAll(() => vendor.stop());

const EMAIL = "/v1/email-services/emailvendor";

const send = async (request: object = {}) => {
  const body = { to_emails: ["ada@example.com"], subject: "Hello", plain_text_content: "Hi", ...request };
  return (await http.post(`${EMAIL}/send`, { token: owner.token, body, expect: 200 })).body;
};

const later = () => new Date(Date.now() + 3_600_000).toISOString();

/** The status of the answer. */
const act = async (id: string, what: "cancel" | "resend", { token }: User = owner): Promise<number> => {
  const reply = await http.post(`${EMAIL}/messages/${id}/${what}`, { token });
  if (reply.status === 409) expect(reply.body.code).toBe("message_not_changeable");
  return reply.status;
};

/** The vendor reports an event of a message that it has taken. */
const report = async (id: string, event: string, fields: object = {}) => {
  const { vendor_message_id } = await messageOf(owner, id);
  const given = vendor.accepted.filter((mail) => mail.id === id).at(-1);
  const body = {
    event,
    ...given?.body.personalizations[0].custom_args,
    email: "ada@example.com",
    sg_event_id: `${event}-${id}`,
    sg_message_id: `${vendor_message_id}.filter0001`,
    timestamp: Math.floor(Date.now() / 1000),
    ...fields,
  };
  const count = (await webhooks.webhooksOf(owner)).length;
  expect((await webhooks.sendgrid(owner, keys, JSON.stringify([body]))).status).toBe(202);
  await webhooks.settled(owner, count + 1);
};

describe("POST /v1/email-services/emailvendor/messages/{message_id}/cancel", () => {
  it("cancels a scheduled message once, and its schedule then sends nothing", async () => {
    const { id, status } = await send({ send_at: later() });
    expect(status).toBe("scheduled");
    const statuses = await Promise.all([act(id, "cancel"), act(id, "cancel"), act(id, "cancel")]);
    expect(statuses.toSorted()).toEqual([200, 409, 409]);
    expect(await fireSchedule(owner, id)).toEqual({ outcome: "dropped" });
    await invokeOperation("sweep-messages", {});
    await messagesAreHandled(owner);
    const message = await messageOf(owner, id);
    expect(message.status).toBe("cancelled");
    expect(statusesOf(message)).toEqual(["scheduled", "cancelled"]);
    expect(vendor.acceptedTimes(id)).toBe(0);
  });

  it("is a 409 for a message that was sent", async () => {
    const { id } = await send();
    await settled(owner, id);
    expect(await act(id, "cancel")).toBe(409);
    expect((await messageOf(owner, id)).status).toBe("sent");
  });

  it("is refused to others than the sender and administrators", async () => {
    const { id } = await send({ send_at: later() });
    expect([403, 404]).toContain(await act(id, "cancel", member));
    expect((await messageOf(owner, id)).status).toBe("scheduled");
    expect(await act(id, "cancel")).toBe(200);
  });

  it("at the same time as the delivery either prevents it or is refused", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { id } = await send();
        await new Promise((resolve) => setTimeout(resolve, 15 * index));
        return { id, status: await act(id, "cancel") };
      }),
    );
    for (const { id, status } of outcomes) {
      const message = await settled(owner, id, ["sent", "cancelled"]);
      expect(message.status).toBe(status === 200 ? "cancelled" : "sent");
      expect(vendor.acceptedTimes(id)).toBe(status === 200 ? 0 : 1);
    }
  });
});

describe("POST /v1/email-services/emailvendor/messages/{message_id}/resend", () => {
  it("sends a failed message once if administrators ask several times at once", async () => {
    vendor.behave(() => ({ status: 400, message: "no" }));
    const { id } = await send();
    expect((await settled(owner, id)).status).toBe("failed");
    vendor.behave(() => "accept");
    expect(await act(id, "resend", member)).toBe(403);
    const statuses = await Promise.all(Array.from({ length: 4 }, () => act(id, "resend")));
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
    await messagesAreHandled(owner);
    const message = await messageOf(owner, id);
    expect(statusesOf(message)).toEqual(["queued", "sending", "failed", "queued", "sending", "sent"]);
    expect(message.error).toBeNull();
    expect(vendor.acceptedTimes(id)).toBe(1);
  });

  it("gives the vendor the id of the message, by which its later events are found", async () => {
    vendor.behave(() => ({ status: 400, message: "no" }));
    const { id } = await send();
    await settled(owner, id, ["failed"]);
    vendor.behave(() => "accept");
    await act(id, "resend");
    await settled(owner, id, ["sent"]);
    await report(id, "delivered");
    expect((await messageOf(owner, id)).status).toBe("delivered");
  });

  it("sends a message of unknown outcome once more", async () => {
    vendor.behave(() => "cut-after");
    const { id } = await send();
    expect((await settled(owner, id)).status).toBe("unknown");
    vendor.behave(() => "accept");
    const statuses = await Promise.all([act(id, "resend"), act(id, "resend")]);
    expect(statuses.toSorted()).toEqual([200, 409]);
    await messagesAreHandled(owner);
    expect((await messageOf(owner, id)).status).toBe("sent");
    expect(vendor.acceptedTimes(id)).toBe(2);
  });

  it("is a 409 for a message that was sent, is scheduled, or was cancelled", async () => {
    const sent = await send();
    await settled(owner, sent.id);
    const scheduled = await send({ send_at: later() });
    expect([await act(sent.id, "resend"), await act(scheduled.id, "resend")]).toEqual([409, 409]);
    await act(scheduled.id, "cancel");
    expect(await act(scheduled.id, "resend")).toBe(409);
    expect(vendor.acceptedTimes(sent.id)).toBe(1);
    expect(vendor.acceptedTimes(scheduled.id)).toBe(0);
  });
});

describe("an address whose mail has bounced", () => {
  it("gets no mail at all, until an administrator removes its suppression, which is audited", async () => {
    const email = "gone@example.com";
    const first = await send({ to_emails: [email] });
    await settled(owner, first.id);
    const waiting = await send({ to_emails: [email], send_at: later() });
    await report(first.id, "bounce", { type: "bounce", reason: "550 5.1.1 unknown", email });
    expect((await messageOf(owner, first.id)).status).toBe("bounced");

    const reason = "Mail to this address has bounced.";
    const refused = { status: "suppressed", recipients: [{ email, status: "suppressed", reason }] };
    expect(await send({ to_emails: ["GONE@example.com"] })).toMatchObject(refused);
    expect(await send({ to_emails: [email], category: "list" })).toMatchObject(refused);
    const both = await send({ to_emails: [email, "here@example.com"] });
    await settled(owner, both.id);
    const { body } = vendor.accepted.find((mail) => mail.id === both.id) ?? {};
    expect(body.personalizations).toMatchObject([{ to: [{ email: "here@example.com" }] }]);
    await invokeOperation("run-scheduled", {
      organization: owner.organizationId,
      kind: "message",
      id: `email_message/${waiting.id}`,
      revision: "1",
      scheduled_time: new Date().toISOString(),
    });
    expect((await settled(owner, waiting.id, ["suppressed", "sent"])).status).toBe("suppressed");

    const { body: found } = await http.get("/v1/object/email_suppression", { token: owner.token, expect: 200 });
    expect(found).toMatchObject([{ email, scope: "all", reason: "bounce", message: { id: first.id } }]);
    const path = `/v1/object/email_suppression/${found[0].id}`;
    await http.delete(path, { token: member.token, expect: 403 });
    await http.delete(path, { token: owner.token, expect: 200 });
    const again = await send({ to_emails: [email] });
    expect((await settled(owner, again.id)).status).toBe("sent");
    const q = `SELECT action, \`by\` FROM audit_entry WHERE record_id = '${found[0].id}'`;
    const trail = await http.post("/v1/query", { token: owner.token, body: { query: q }, expect: 200 });
    expect(trail.body.records).toMatchObject([{ action: "deleted", by: { id: owner.id } }]);
  });
});

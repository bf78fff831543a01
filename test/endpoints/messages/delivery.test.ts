import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { type SendGrid, startSendGrid } from "../../vendors/sendgrid.ts";
import {
  connectSendGrid,
  deliverAgain,
  messageOf,
  passTime,
  patience,
  plantEntry,
  send,
  settled,
  statusesOf,
  storedMessage,
  withDatabase,
} from "./messages.ts";

let vendor: SendGrid;
let owner: User;

beforeAll(async () => {
  vendor = await startSendGrid();
});
afterAll(() => vendor.stop());
beforeEach(async () => {
  owner = await registerOrganization();
  await connectSendGrid(owner, vendor);
});
afterEach(() => vendor.behave(() => "accept"));

const timesCalled = (id: string): number => vendor.calls.filter((mail) => mail.id === id).length;

describe("an email by an organization's own SendGrid account", () => {
  it("is queued, given to the vendor as its documentation wants it, and sent", async () => {
    const { id, status } = await send(owner, {
      to_emails: ["ada@example.com", "bob@example.com"],
      cc: ["cleo@example.com", "ada@example.com"],
      bcc: ["dan@example.com"],
      reply_to: "answers@example.com",
      html_content: "<p>Hi</p>",
    });
    expect(status).toBe("queued");
    const message = await settled(owner, id);
    expect(message).toMatchObject({
      status: "sent",
      vendor: "sendgrid",
      vendor_message_id: expect.stringMatching(/^sg-/),
    });
    expect(statusesOf(message)).toEqual(["queued", "sending", "sent"]);
    expect(message.sent_date).toMatch(/^2/);
    expect("_delivery" in message).toBe(false);
    const given = vendor.accepted.find((mail) => mail.id === id);
    expect(given?.body).toMatchObject({
      personalizations: [
        {
          to: [{ email: "ada@example.com" }, { email: "bob@example.com" }],
          cc: [{ email: "cleo@example.com" }],
          bcc: [{ email: "dan@example.com" }],
          custom_args: { tenantry_id: id, tenantry_organization: owner.organizationId },
        },
      ],
      from: { email: message.from_email },
      reply_to: { email: "answers@example.com" },
      subject: "Hello",
      content: [
        { type: "text/plain", value: "Hi" },
        { type: "text/html", value: "<p>Hi</p>" },
      ],
      headers: { "Message-ID": `<${message.message_id}>` },
    });
    expect(vendor.acceptedTimes(id)).toBe(1);
  });

  it("is given to the vendor once if its message is delivered many times at once", async () => {
    const { id } = await send(owner);
    const entries = Array.from({ length: 4 }, (_, index) => `again-${id}-${index}`);
    for (const entry of entries) await plantEntry(owner.organizationId, id, entry);
    const deliveries = [...entries, ...entries, ...entries].sort(() => Math.random() - 0.5);
    await Promise.all(deliveries.map((entry) => deliverAgain(owner.organizationId, entry)));
    await settled(owner, id);
    await messagesAreHandled(owner);
    expect(timesCalled(id)).toBe(1);
  });

  it.each([
    ["400", { status: 400, message: "The from address is bad.", field: "from.email" }, "from.email: The from address"],
    ["403", { status: 403, message: "The from address does not match a verified Sender Identity." }, "verified Sender"],
    ["413", { status: 413, message: "The JSON payload is too large." }, "too large"],
    ["a redirect", { status: 302, headers: { location: "http://169.254.169.254/" } }, "302"],
  ])(
    "that the vendor refuses with %s has failed with the reason, and is not tried again",
    async (_, answer, reason) => {
      vendor.behave(() => answer);
      const { id } = await send(owner);
      const message = await settled(owner, id);
      expect(message.status).toBe("failed");
      expect(message.error).toContain(reason);
      await passTime(owner.organizationId);
      await messagesAreHandled(owner);
      expect(timesCalled(id)).toBe(1);
    },
  );

  it.each([
    ["429", { status: 429 }],
    ["500", { status: 500, message: "server error" }],
    ["503", { status: 503, message: "not available" }],
    ["401, because a person can mend the account,", { status: 401, message: "grant is invalid" }],
  ])("that the vendor answers with %s waits and is sent by a later attempt", async (_, answer) => {
    vendor.behave(() => answer);
    const { id } = await send(owner);
    await expect
      .poll(async () => statusesOf(await messageOf(owner, id)), patience)
      .toEqual(["queued", "sending", "queued"]);
    const stored = await storedMessage(owner.organizationId, id);
    expect(stored?._delivery.attempts).toBe(1);
    expect(stored?._delivery.next_attempt_at - stored?.last_event_time).toBeGreaterThan(40_000);
    vendor.behave(() => "accept");
    await passTime(owner.organizationId);
    expect((await settled(owner, id)).status).toBe("sent");
    expect([timesCalled(id), vendor.acceptedTimes(id)]).toEqual([2, 1]);
  });

  it("waits as long as a rate limit says", async () => {
    const reset = Math.floor(Date.now() / 1000) + 1_200;
    vendor.behave(() => ({ status: 429, headers: { "x-ratelimit-reset": String(reset) } }));
    const { id } = await send(owner);
    await expect.poll(async () => (await messageOf(owner, id)).events.length, patience).toBe(3);
    const _delivery = (await storedMessage(owner.organizationId, id))?._delivery;
    expect(_delivery.next_attempt_at.getTime()).toBeGreaterThan(reset * 1000 - 5_000);
  });

  it("has failed after six attempts, with what the vendor said last", async () => {
    vendor.behave(() => ({ status: 503, message: "down for maintenance" }));
    const { id } = await send(owner);
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await expect.poll(() => timesCalled(id), patience).toBe(attempt);
      // The failure is counted after the message has its status. The fifth one opens the circuit.
      await messagesAreHandled(owner);
      expect((await messageOf(owner, id)).status).toBe(attempt < 6 ? "queued" : "failed");
      await passTime(owner.organizationId);
    }
    await messagesAreHandled(owner);
    const message = await messageOf(owner, id);
    expect(message.error).toContain("down for maintenance");
    expect(timesCalled(id)).toBe(6);
  });

  it.each([
    ["cuts the connection after it has taken it", "cut-after" as const, 1],
    ["cuts the connection before it has taken it", "cut-before" as const, 0],
    ["answers in a way that cannot be understood", "malformed" as const, 1],
    ["fails behind a gateway", { status: 504, message: "gateway timeout", accepts: true }, 1],
  ])(
    "of which nobody can tell whether it was taken, because the vendor %s, is unknown and not sent again",
    async (_, answer, times) => {
      vendor.behave(() => answer);
      const { id } = await send(owner);
      const message = await settled(owner, id);
      expect(message.status).toBe("unknown");
      expect(message.error).toMatch(/^Nobody can tell/);
      vendor.behave(() => "accept");
      await passTime(owner.organizationId);
      await plantEntry(owner.organizationId, id, `late-${id}`);
      await deliverAgain(owner.organizationId, `late-${id}`);
      await messagesAreHandled(owner);
      expect([timesCalled(id), vendor.acceptedTimes(id)]).toEqual([1, times]);
    },
  );

  it("is not accepted by a vendor that cannot be reached, and waits", async () => {
    const gone = await startSendGrid();
    const other = await registerOrganization();
    await connectSendGrid(other, gone);
    await gone.stop();
    const { id } = await send(other);
    await expect.poll(async () => statusesOf(await messageOf(other, id)), patience).toContain("sending");
    expect((await settled(other, id, ["queued"])).events.at(-1).detail).toContain("did not give an answer");
  });
});

it("an email that waits for an hour without a message of the queue is queued again, and sent once", async () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await send(owner, { send_at: tomorrow });
  const hourAgo = { status: "queued", last_event_time: new Date(Date.now() - 3_700_000) };
  const lost = { $set: hourAgo, $unset: { "_delivery.next_attempt_at": "" as const } };
  await withDatabase(owner.organizationId, ({ collection }) =>
    collection("email_message").updateOne({ _id: id }, lost),
  );
  await invokeOperation("sweep-messages", {});
  await invokeOperation("sweep-messages", {});
  await messagesAreHandled(owner);
  const message = await messageOf(owner, id);
  expect(statusesOf(message)).toEqual(["scheduled", "queued", "sending", "sent"]);
  expect(vendor.acceptedTimes(id)).toBe(1);
});

it("the secret of a vendor's credential is in no record, error or answer", async () => {
  vendor.behave(() => ({ status: 400, message: `Your key ${vendor.apiKey} may not do this.` }));
  const { id } = await send(owner);
  const message = await settled(owner, id);
  expect(message.error).toContain("[redacted]");
  const stored = await withDatabase(owner.organizationId, async ({ collection }) =>
    JSON.stringify([
      await collection("email_message").find().toArray(),
      await collection("_outbox").find().toArray(),
      await collection("_vendor_circuit").find().toArray(),
    ]),
  );
  expect(stored).not.toContain(vendor.apiKey);
  const credential = await http.get("/v1/object/auth_credential", { token: owner.token, expect: 200 });
  expect(credential.text).not.toContain(vendor.apiKey);
});

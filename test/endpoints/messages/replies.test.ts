import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import * as webhooks from "../../setup/webhooks.ts";
import { type SendGrid, startSendGrid } from "../../vendors/sendgrid.ts";
import { connect, messageOf, send, settled } from "./messages.ts";

const DOMAIN = "Mail.acme.test";

let vendor: SendGrid;
let owner: User;
let keys: webhooks.VendorKeys;

beforeAll(async () => {
  [vendor, owner] = await Promise.all([startSendGrid(), registerOrganization()]);
  keys = await connectWithAnswers(owner);
});
afterAll(() => vendor.stop());

const connectWithAnswers = async (user: User) => {
  const pair = webhooks.newKeys();
  const value = { api_key: vendor.apiKey, inbound_domain: DOMAIN, ...pair.value };
  await connect(user, "emailvendor", "sendgrid", value, { base_url: vendor.origin });
  return pair.keys;
};

/** Sends an email, and gives it with the address for answers that the vendor got. */
const sent = async (user: User, request: Record<string, unknown> = {}) => {
  const { id } = await send(user, request);
  expect((await settled(user, id)).status).toBe("sent");
  const { body } = vendor.accepted.find((mail) => mail.id === id) as unknown as {
    body: { reply_to?: { email: string } };
  };
  return { id, replyTo: body.reply_to?.email ?? "" };
};

/** What becomes of an answer to an address, from a mail program that leaves `In-Reply-To` out. */
const answer = async (to: string) => {
  const count = (await webhooks.webhooksOf(owner)).length;
  const raw = [
    "From: Ada <ada@example.com>",
    `To: ${to}`,
    "Subject: Re: Hello",
    `Message-ID: <${randomUUID()}@example.com>`,
    "",
    "Thank you.",
  ].join("\r\n");
  expect((await webhooks.sendgrid(owner, keys, raw, { type: "message/rfc822" })).status).toBe(202);
  const [webhook] = await webhooks.settled(owner, count + 1);
  return messageOf(owner, String(webhook?.result?.email_message));
};

describe("the address for answers to an email", () => {
  it("is on the inbound domain of the credential, and joins an answer to the thread of its message", async () => {
    const { id, replyTo } = await sent(owner);
    expect(replyTo).toMatch(/^reply\+[0-9a-z]{42}@mail\.acme\.test$/);
    expect((await answer(replyTo)).thread_id).toBe(id);
    expect((await answer(replyTo.toUpperCase())).thread_id).toBe(id);
  });

  it("counts for nothing with a changed token, another message's id, or the token of another organization", async () => {
    const [first, second] = [await sent(owner), await sent(owner)];
    const stranger = await registerOrganization();
    await connectWithAnswers(stranger);
    const foreign = await sent(stranger);
    const [one = "", two = ""] = [first.replyTo, second.replyTo];
    const place = "reply+".length + 26;
    const forged = [
      one.replace(/.@/, (end) => (end === "0@" ? "1@" : "0@")),
      `${one.slice(0, place)}${two.slice(place)}`,
      foreign.replyTo,
    ];
    for (const address of forged) {
      expect(address).toMatch(/^reply\+[0-9a-z]{42}@/);
      const record = await answer(address);
      expect(record.thread_id).toBe(record.id);
    }
  });

  it("is the sender's own if there is one, and absent from messages to lists", async () => {
    expect((await sent(owner, { reply_to: "help@acme.test" })).replyTo).toBe("help@acme.test");
    expect((await sent(owner, { category: "list" })).replyTo).toBe("");
  });

  it("is on a domain: other texts are refused when the credential is saved", async () => {
    for (const inbound_domain of ["localhost", "a@b.test", "mail.acme.test\r\nBcc: x@y.test", "-a.test", ""]) {
      const value = { api_key: "SG.test", inbound_domain };
      const body = { name: "x", kind: "emailvendor", provider: "sendgrid", value };
      const { status, text } = await http.post("/v1/object/auth_credential", { token: owner.token, body });
      expect(status, inbound_domain).toBe(422);
      expect(text).toContain("inbound_domain");
    }
  });
});

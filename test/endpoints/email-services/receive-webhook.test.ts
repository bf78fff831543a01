import { createHash, randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import {
  post,
  registerWithEmailVendor,
  sendgrid,
  sendgridHeaders,
  settled,
  standardHeaders,
  type VendorKeys,
  webhooksOf,
} from "../../setup/webhooks.ts";

let owner: User;
let keys: VendorKeys;
let other: User;
let otherKeys: VendorKeys;

beforeAll(async () => {
  ({ owner, keys } = await registerWithEmailVendor());
  ({ owner: other, keys: otherKeys } = await registerWithEmailVendor());
});

const events = (marker: string = randomUUID()) =>
  JSON.stringify([{ event: "delivered", sg_event_id: marker, timestamp: 1_790_000_000, email: "a@b.test" }]);

describe("a signed webhook", () => {
  it("of SendGrid is stored, queued and processed", async () => {
    const body = events();
    expect((await sendgrid(owner, keys, body)).status).toBe(202);
    const [webhook] = await settled(owner, 1);
    expect(webhook).toMatchObject({
      kind: "events",
      signature: "sendgrid",
      size: body.length,
      status: "processed",
      error: null,
      result: { events: 1, applied: 0, unknown: 1, ignored: 0 },
    });
  });

  it("of Standard Webhooks is accepted by the reference signer, also with several signatures", async () => {
    const body = events();
    const headers = standardHeaders(keys.secret, body);
    const foreign = standardHeaders(otherKeys.secret, body, { id: headers["webhook-id"] });
    const both = `${foreign["webhook-signature"]} v1a,AAAA ${headers["webhook-signature"]}`;
    const reply = await post(owner.organizationId, body, { ...headers, "webhook-signature": both });
    expect(reply.status).toBe(202);
    expect(reply.text).toBe("");
  });

  it("that is sent again is stored once", async () => {
    const body = events();
    const headers = standardHeaders(keys.secret, body);
    const before = (await webhooksOf(owner)).length;
    const replies = await Promise.all([1, 2, 3].map(() => post(owner.organizationId, body, headers)));
    const signed = sendgridHeaders(keys.sendgrid, body);
    replies.push(...(await Promise.all([1, 2, 3].map(() => post(owner.organizationId, body, signed)))));
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202]);
    expect((await webhooksOf(owner)).length - before).toBe(2);
  });
});

describe("a webhook is refused", () => {
  const refused = async (body: string, headers: Record<string, string>, organizationId = owner.organizationId) => {
    const reply = await post(organizationId, body, headers);
    return `${reply.status} ${reply.body?.code}`;
  };

  it("without a right signature of the organization", async () => {
    const body = events();
    const standard = standardHeaders(keys.secret, body);
    const signed = sendgridHeaders(keys.sendgrid, body);
    const { "webhook-id": _, ...withoutId } = standard;
    const { "x-twilio-email-event-webhook-timestamp": __, ...withoutTime } = signed;
    const cases: Record<string, Record<string, string>> = {
      "no headers": {},
      "SendGrid, wrong key": sendgridHeaders(otherKeys.sendgrid, body),
      "SendGrid, too old": sendgridHeaders(keys.sendgrid, body, -301),
      "SendGrid, too new": sendgridHeaders(keys.sendgrid, body, 400),
      "SendGrid, other body": sendgridHeaders(keys.sendgrid, `${body} `),
      "SendGrid, no time": withoutTime,
      "SendGrid, other time": { ...signed, "x-twilio-email-event-webhook-timestamp": "1790000000" },
      "SendGrid, no base64": { ...signed, "x-twilio-email-event-webhook-signature": "!" },
      "Standard, wrong key": standardHeaders(otherKeys.secret, body),
      "Standard, too old": standardHeaders(keys.secret, body, { late: -301 }),
      "Standard, too new": standardHeaders(keys.secret, body, { late: 400 }),
      "Standard, other body": standardHeaders(keys.secret, `${body} `),
      "Standard, no id": withoutId,
      "Standard, other id": { ...standard, "webhook-id": "another" },
      "Standard, empty signature": { ...standard, "webhook-signature": "v1," },
      "Standard, no version": { ...standard, "webhook-signature": standard["webhook-signature"].slice(3) },
    };
    const answers = await Promise.all(
      Object.entries(cases).map(async ([name, headers]) => `${name}: ${await refused(body, headers)}`),
    );
    expect(answers).toEqual(Object.keys(cases).map((name) => `${name}: 401 invalid_signature`));
  });

  it("for an organization that does not exist or has no vendor, after the same time", async () => {
    const body = events();
    const none = await registerOrganization();
    const headers = standardHeaders(keys.secret, body);
    const timed = async (organizationId: string): Promise<[string, number]> => {
      const start = performance.now();
      const answer = await refused(body, headers, organizationId);
      return [answer, performance.now() - start];
    };
    const [unknown, without] = [await timed("org_0000000000000000"), await timed(none.organizationId)];
    const [wrong] = [await timed(other.organizationId)];
    expect([unknown[0], without[0], wrong[0]]).toEqual([
      "404 organization_not_found",
      "401 invalid_signature",
      "401 invalid_signature",
    ]);
    for (const [, milliseconds] of [unknown, without, wrong]) expect(milliseconds).toBeGreaterThan(145);
  });

  it("beyond 1,200 of one address for an organization in a minute, with a 503 after which vendors try again", async () => {
    const { owner: third, keys: own } = await registerWithEmailVendor();
    const client = await databaseClient();
    try {
      const minute = Math.floor(Date.now() / 60_000);
      for (const one of [minute, minute + 1]) {
        const counted = JSON.stringify(["127.0.0.1", one, "webhook", third.organizationId]);
        const _id = createHash("sha256").update(counted).digest("base64url");
        const counter = { _id, count: 1_200, expires_at: new Date(Date.now() + 180_000) };
        await client.db("base").collection<{ _id: string }>("public_run").insertOne(counter);
      }
    } finally {
      await client.close();
    }
    const { status, headers, body } = await sendgrid(third, own, events());
    expect([status, body.code]).toEqual([503, "too_many_webhooks"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await sendgrid(owner, keys, events())).status).toBe(202);
  });

  it("beyond its size, and with a type that is neither events nor mail", async () => {
    const large = `[${" ".repeat(4_400_000)}]`;
    expect((await post(owner.organizationId, large, sendgridHeaders(keys.sendgrid, large))).status).toBe(413);
    const fits = `[${" ".repeat(4_399_998)}]`;
    expect((await post(owner.organizationId, fits, sendgridHeaders(keys.sendgrid, fits))).status).toBe(202);
    const text = "a=b";
    const form = "application/x-www-form-urlencoded";
    expect((await post(owner.organizationId, text, sendgridHeaders(keys.sendgrid, text), form)).status).toBe(415);
  });
});

describe("the list of webhooks", () => {
  it("is that of the own organization, goes on by its cursor, and follows from a time", async () => {
    const { owner: third, keys: own } = await registerWithEmailVendor();
    const start = new Date().toISOString();
    for (const marker of ["a", "b", "c"]) await sendgrid(third, own, events(marker + randomBytes(4).toString("hex")));
    const list = (query: Record<string, string | number>) =>
      http.get("/v1/email-services/emailvendor/webhooks", { token: third.token, query, expect: 200 });
    const first = (await list({ limit: 2 })).body;
    const rest = (await list({ limit: 2, cursor: first.next_cursor })).body;
    expect([first.webhooks.length, rest.webhooks.length]).toEqual([2, 1]);
    const followed = (await list({ since: start, limit: 2 })).body;
    expect(followed.webhooks.map(({ id }: { id: string }) => id)).toEqual(
      [...first.webhooks, ...rest.webhooks]
        .map(({ id }) => id)
        .toReversed()
        .slice(0, 2),
    );
    const more = (await list({ since: start, cursor: followed.next_cursor })).body;
    expect(more.webhooks).toHaveLength(1);
    expect((await list({ since: start, cursor: more.next_cursor })).body.webhooks).toEqual([]);
  });

  it("has no cursor that somebody made up", async () => {
    const options = { token: owner.token, query: { cursor: "x" }, expect: 422 };
    await http.get("/v1/email-services/emailvendor/webhooks", options);
  });
});

it("a body that cannot be read becomes a dead letter, is marked, and keeps its bytes", async () => {
  const { owner: third, keys: own } = await registerWithEmailVendor();
  expect((await sendgrid(third, own, "[{")).status).toBe(202);
  const [webhook] = await settled(third, 1);
  expect(webhook).toMatchObject({ status: "failed", error: "The body is not valid JSON." });
  const client = await databaseClient();
  try {
    const entries = client.db(third.organizationId).collection("_outbox");
    const ended = { attempts: 5, status: "sent", failure: { code: "unreadable_webhook" } };
    await expect.poll(() => entries.findOne({}), { timeout: 120_000 }).toMatchObject(ended);
  } finally {
    await client.close();
  }
});

import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { databaseClient, http, type User } from "../../platform.ts";
import {
  post,
  registerWithEmailVendor,
  sendgrid,
  settled,
  standardHeaders,
  type VendorKeys,
  webhooksOf,
} from "../../setup/webhooks.ts";

let owner: User;
let keys: VendorKeys;

beforeAll(async () => {
  ({ owner, keys } = await registerWithEmailVendor());
});

const AT = 1_790_000_000;

/** A message that a vendor has taken. */
const sentMessage = async (to: readonly string[] = ["ada@b.test"], fields: object = {}): Promise<string> => {
  const client = await databaseClient();
  const _id = randomUUID();
  const recipients = to.map((email) => ({ email, kind: "to", status: "sent" }));
  const record = { _id, id: _id, name: "Hello", to, recipients, direction: "outbound", status: "sent", events: [] };
  try {
    const by = { id: owner.id, schema: "user", name: "Olga Owner" };
    const at = { created_date: new Date(), modified_date: new Date(), created_by: by, modified_by: by };
    const shared = { ...at, owner: by, shared_with: [], _readers: [`user:${owner.id}`] };
    await client
      .db(owner.organizationId)
      .collection<{ _id: string }>("email_message")
      .insertOne({ ...record, vendor_message_id: `sg-${_id}`, ...shared, ...fields } as never);
  } finally {
    await client.close();
  }
  return _id;
};

const eventOf = (id: string, event: string, after = 0, fields: object = {}) => ({
  event,
  tenantry_id: id,
  tenantry_organization: owner.organizationId,
  sg_event_id: `${event}-${after}-${id}`,
  sg_message_id: `sg-${id}.filter0001.1.2-3`,
  timestamp: AT + after,
  email: "ada@b.test",
  ...fields,
});

const send = async (...bodies: unknown[][]) => {
  const before = (await webhooksOf(owner)).length;
  for (const [index, body] of bodies.entries()) {
    // Within one second the same body would be the same webhook.
    const late = index * 30;
    expect((await sendgrid(owner, keys, JSON.stringify(body), { late })).status).toBe(202);
  }
  return settled(owner, before + bodies.length);
};

const message = async (id: string) =>
  (await http.get(`/v1/object/email_message/${id}`, { token: owner.token, expect: 200 })).body;

const typesOf = (record: { events: { type: string }[] }) => record.events.map(({ type }) => type);

it("every event of SendGrid reaches its message, whose status never goes back", async () => {
  const id = await sentMessage();
  const all = [
    eventOf(id, "click", 5, { url: "https://a.test/x" }),
    eventOf(id, "open", 4),
    eventOf(id, "delivered", 3, { response: "250 OK" }),
    eventOf(id, "deferred", 2, { response: "400 later" }),
    eventOf(id, "processed", 1),
    eventOf(id, "bounce", 6, { type: "blocked", reason: "late" }),
    eventOf(id, "group_unsubscribe", 7),
    { ...eventOf(id, "made_up", 8) },
    7,
  ];
  // Three times, in other orders: each event counts once.
  await send(all, all.toReversed(), [...all.slice(4), ...all.slice(0, 4)]);
  const record = await message(id);
  expect(record).toMatchObject({ status: "delivered", opens: 1, clicks: 1, recipients: [{ status: "delivered" }] });
  expect(record.last_event_time).toBe(new Date((AT + 7) * 1000).toISOString());
  expect(typesOf(record).toSorted()).toEqual(
    ["sent", "deferred", "delivered", "opened", "clicked", "bounced", "unsubscribed"].toSorted(),
  );
});

it("events in separate webhooks and in reverse order give the same state", async () => {
  const id = await sentMessage();
  const types = ["open", "delivered", "processed"];
  await send(...types.map((type, index) => [eventOf(id, type, 9 - index)]));
  expect(await message(id)).toMatchObject({ status: "delivered", opens: 1 });
});

it("a message to several people is delivered when one has it, and bounced when nobody can get it", async () => {
  const to = ["ada@b.test", "bob@b.test"];
  const [one, none] = [await sentMessage(to), await sentMessage(to)];
  const bounce = (id: string, email: string) =>
    eventOf(id, "bounce", 1, { email, sg_event_id: `${id}${email}`, type: "bounce", reason: "550 unknown" });
  await send([bounce(one, "ada@b.test"), eventOf(one, "delivered", 2, { email: "bob@b.test" })]);
  await send([bounce(none, "ada@b.test")]);
  expect(await message(none)).toMatchObject({
    status: "sent",
    recipients: [{ status: "bounced" }, { status: "sent" }],
  });
  await send([bounce(none, "bob@b.test")]);
  expect((await message(one)).status).toBe("delivered");
  expect(await message(none)).toMatchObject({
    status: "bounced",
    recipients: [{ status: "bounced", reason: "550 unknown" }, { status: "bounced" }],
  });
});

it("hard bounces and complaints suppress an address for all mail, unsubscribes for lists", async () => {
  const people = ["hard@b.test", "soft@b.test", "angry@b.test", "tired@b.test"];
  const id = await sentMessage(people);
  const by = (email: string, event: string, fields: object = {}) =>
    eventOf(id, event, 1, { email, sg_event_id: `${id}${email}`, ...fields });
  const all = [
    by("hard@b.test", "bounce", { type: "bounce", reason: "550 5.1.1 unknown" }),
    by("soft@b.test", "bounce", { type: "blocked" }),
    by("angry@b.test", "spamreport"),
    by("tired@b.test", "unsubscribe"),
    by("stranger@b.test", "spamreport"),
  ];
  await send(all, all);
  const list = await http.get("/v1/object/email_suppression?limit=100", { token: owner.token, expect: 200 });
  const suppressed = list.body.filter(({ message: about }: { message: { id: string } }) => about?.id === id);
  expect(
    suppressed.map(({ email, scope, reason }: Record<string, string>) => `${email} ${scope} ${reason}`).toSorted(),
  ).toEqual(["angry@b.test all complaint", "hard@b.test all bounce", "tired@b.test list unsubscribe"]);
});

it("events of other messages and other organizations change nothing", async () => {
  const id = await sentMessage();
  const [webhook] = await send([
    eventOf(id, "delivered", 1, { sg_message_id: "sg-other.filter" }),
    eventOf(id, "delivered", 2, { tenantry_organization: "org_0000000000000000" }),
    eventOf(randomUUID(), "delivered", 3),
    { ...eventOf(id, "delivered", 4), sg_message_id: { $ne: "" }, tenantry_id: { $ne: "" } },
  ]);
  expect(webhook?.result).toEqual({ events: 4, applied: 0, unknown: 4, ignored: 0 });
  expect(await message(id)).toMatchObject({ status: "sent", events: [] });
});

it("the general form names the message by our id or by the vendor's", async () => {
  const id = await sentMessage();
  const timestamp = new Date(AT * 1000).toISOString();
  const body = JSON.stringify([
    { type: "email.opened", timestamp, data: { event_id: "1", vendor_message_id: `sg-${id}`, email: "ada@b.test" } },
    { type: "bounced", timestamp, data: { event_id: "2", message_id: id, email: "ADA@b.test", reason: "gone" } },
    { type: "email.made_up", timestamp, data: {} },
  ]);
  const before = (await webhooksOf(owner)).length;
  const reply = await post(owner.organizationId, body, standardHeaders(keys.secret, body));
  expect(reply.status).toBe(202);
  const [webhook] = await settled(owner, before + 1);
  expect(webhook?.result).toEqual({ events: 2, applied: 2, unknown: 0, ignored: 1 });
  expect(await message(id)).toMatchObject({ status: "bounced", opens: 1, recipients: [{ status: "bounced" }] });
});

it("a thousand events of one body are applied, and one message keeps a bounded number of them", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => sentMessage()));
  const many = ids.flatMap((id, index) =>
    Array.from({ length: index === 0 ? 620 : 20 }, (_, number) => eventOf(id, "open", number)),
  );
  await send(many.slice(0, 1_000));
  const records = await Promise.all(ids.map(message));
  expect(records.map(({ opens }) => opens)).toEqual([200, ...Array.from({ length: 19 }, () => 20)]);
  await send([eventOf(ids[0] ?? "", "delivered", 999)]);
  expect(await message(ids[0] ?? "")).toMatchObject({ status: "delivered" });
});

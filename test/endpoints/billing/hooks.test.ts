import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { databaseClient, http, mailsTo, registerOrganization, type User } from "../../platform.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";
import {
  billingOf,
  daysAgo,
  eventAbout,
  hooksAreHandled,
  keyOf,
  link,
  newCustomer,
  PERIOD_END,
  patiently,
  sendEvent,
  sendHook,
  signatureOf,
  stripe,
  subscribe,
} from "./vendors.ts";

let client: Awaited<ReturnType<typeof databaseClient>>;

beforeAll(async () => {
  client = await databaseClient();
});
afterAll(() => client.close());

const events = () => client.db("base").collection<{ _id: string; key: string }>("billing_event");

/** Waits until the status is the expected one, and what follows from it is done. */
const become = async (user: User, status: string): Promise<void> => {
  await expect.poll(async () => (await billingOf(user)).status, patiently).toBe(status);
  await hooksAreHandled(user);
};

const mailsAbout = async ({ email }: User, subject: RegExp) =>
  (await mailsTo(email)).filter(({ headers }) => subject.test(headers.subject ?? ""));

const write = async ({ token }: Pick<User, "token">) =>
  (await http.post("/v1/object/lead", { token, body: { name: "x" } })).status;

describe("an event of the payment vendor", () => {
  const body = (id?: string) => JSON.stringify(eventAbout("cus_nobody", "customer.subscription.updated", id));

  it("is accepted with the vendor's signature, and acknowledged again when it comes twice", async () => {
    const raw = body("evt_twice");
    for (let times = 0; times < 3; times += 1) {
      const reply = await sendHook(raw);
      expect([reply.status, reply.body]).toEqual([200, { received: true }]);
    }
    expect(await events().countDocuments({ _id: "evt_twice" })).toBe(1);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const forgeries: Record<string, (raw: string) => { raw: string; signature: string }> = {
    "without a signature": (raw) => ({ raw, signature: "" }),
    "with a signature by another key": (raw) => ({ raw, signature: signatureOf(raw, { secret: "whsec_other" }) }),
    "that was signed six minutes ago": (raw) => ({ raw, signature: signatureOf(raw, { timestamp: now() - 360 }) }),
    "that was signed six minutes from now": (raw) => ({ raw, signature: signatureOf(raw, { timestamp: now() + 360 }) }),
    "that was altered": (raw) => ({ raw: raw.replace("updated", "deleted"), signature: signatureOf(raw) }),
    "with a blank more than was signed": (raw) => ({ raw: `${raw} `, signature: signatureOf(raw) }),
    "with a signature of another scheme": (raw) => ({ raw, signature: signatureOf(raw).replace("v1=", "v0=") }),
    "with the time of another signature": (raw) => ({
      raw,
      signature: signatureOf(raw).replace(/t=(\d+)/, (_, time) => `t=${Number(time) - 1}`),
    }),
    "with a header that is none": (raw) => ({ raw, signature: "x".repeat(500) }),
  };

  it.each(Object.entries(forgeries))("%s is refused and not stored", async (name, forge) => {
    const id = `evt_forged_${name.replaceAll(" ", "_")}`;
    const { raw, signature } = forge(body(id));
    const reply = await sendHook(raw, signature);
    expect(`${reply.status} ${reply.body.code}`).toBe("401 invalid_signature");
    expect(await events().countDocuments({ _id: id })).toBe(0);
  });

  it("of another content type or more than 1 MiB is refused", async () => {
    const raw = body();
    const headers = { "content-type": "text/plain", "stripe-signature": signatureOf(raw) };
    expect((await http.post("/v1/billing/hooks", { raw, headers })).status).toBe(415);
    const large = JSON.stringify({ ...eventAbout("cus_x"), padding: "x".repeat(1024 * 1024) });
    expect((await sendHook(large)).status).toBe(413);
  });

  it("about an unknown customer changes nothing, and is not handled again", async () => {
    const event = eventAbout(newCustomer());
    await sendEvent(event);
    const outbox = client.db("base").collection("_outbox");
    const stored = await events().findOne({ _id: event.id });
    expect(stored?.key).toBe(keyOf(event));
    const payload = { $regex: keyOf(event) };
    await expect.poll(() => outbox.countDocuments({ queue: "billing-hook", payload }), patiently).toBe(0);
  });
});

test("a subscription becomes the plan of its organization, told to the owners and audited once", async () => {
  const user = await registerOrganization();
  expect(await billingOf(user)).toEqual({
    plan: "free",
    status: "free",
    current_period_end: null,
    past_due_since: null,
    writes_end_at: null,
    usage: [],
  });
  const { customer } = await link(user);
  await subscribe(customer);
  await sendEvent(eventAbout(customer, "customer.subscription.created"));
  await become(user, "active");
  expect(await billingOf(user)).toMatchObject({ plan: "business", current_period_end: PERIOD_END });
  const { body } = await http.get("/v1/auth/load", { token: user.token });
  expect(body.organization.billing).toEqual({ plan: "business", status: "active" });
  await sendEvent(eventAbout(customer));
  await hooksAreHandled(user);
  expect(await mailsAbout(user, /plan or payment/)).toHaveLength(1);
  const query = "SELECT action, details FROM audit_entry WHERE action = 'billing_changed'";
  const entries = (await http.post("/v1/query", { token: user.token, body: { query } })).body;
  expect(entries.records).toHaveLength(1);
  const { body: record } = await http.get(`/v1/object/organization/${user.organizationId}`, { token: user.token });
  expect(JSON.stringify(record)).not.toContain(customer);
});

test("a payment that is missing for 14 days ends writes, and a payment restores them at once", async () => {
  const user = await registerOrganization();
  const { customer } = await link(user);
  await subscribe(customer, { status: "past_due", finalized_at: daysAgo(2) });
  await sendEvent(eventAbout(customer, "invoice.payment_failed"));
  await become(user, "past_due");
  const { past_due_since, writes_end_at } = await billingOf(user);
  expect(Date.parse(writes_end_at) - Date.parse(past_due_since)).toBe(14 * 86_400_000);
  expect(await write(user)).toBe(201);
  expect((await mailsAbout(user, /is missing/))[0]?.text).toMatch(/nothing can be changed/);
  await subscribe(customer, { status: "unpaid", finalized_at: daysAgo(15) });
  await sendEvent(eventAbout(customer));
  await expect.poll(() => write(user), patiently).toBe(402);
  await http.get("/v1/object/lead", { token: user.token, expect: 200 });
  await subscribe(customer, { status: "active" });
  await sendEvent(eventAbout(customer, "invoice.paid"));
  await expect.poll(() => write(user), patiently).toBe(201);
  expect(await billingOf(user)).toMatchObject({ status: "active", past_due_since: null, writes_end_at: null });
});

test("a subscription that the vendor canceled for missing payments still has to be paid; one that was given up has not", async () => {
  const user = await registerOrganization();
  const { customer } = await link(user);
  await subscribe(customer, { status: "canceled", reason: "payment_failed", finalized_at: daysAgo(30) });
  await sendEvent(eventAbout(customer, "customer.subscription.deleted"));
  await become(user, "past_due");
  expect(await write(user)).toBe(402);
  // A subscription whose first payment never arrives pays for nothing.
  await subscribe(customer, { id: "sub_incomplete", status: "incomplete", created: daysAgo(0) });
  await sendEvent(eventAbout(customer, "customer.subscription.created"));
  await subscribe(customer, { status: "canceled", reason: "cancellation_requested" });
  await sendEvent(eventAbout(customer));
  await become(user, "canceled");
  expect(await billingOf(user)).toMatchObject({ plan: "free" });
  expect(await write(user)).toBe(201);
});

test("events in any order, three times each, leave the vendor's present state", async () => {
  const user = await registerOrganization();
  const { customer } = await link(user);
  const types = [
    "customer.subscription.created",
    "customer.subscription.updated",
    "customer.subscription.deleted",
    "invoice.paid",
    "invoice.payment_failed",
    "customer.updated",
  ];
  let run = 0;
  const states = fc.constantFrom("active", "past_due", "trialing", "canceled");
  const order = fc.shuffledSubarray(
    [0, 1, 2].flatMap((time) => types.map((type) => ({ type, time }))),
    { minLength: 18 },
  );
  await fc.assert(
    fc.asyncProperty(fc.tuple(states, states), order, async ([before, after], events) => {
      run += 1;
      await subscribe(customer, { status: before, finalized_at: daysAgo(3) });
      const send = ({ type }: { type: string }) =>
        sendEvent(eventAbout(customer, type, `evt_${customer}_${run}_${type}`));
      await Promise.all(events.slice(0, 9).map(send));
      // The state changes at the vendor while its events are under way.
      await subscribe(customer, { status: after, finalized_at: daysAgo(3) });
      await Promise.all(events.slice(9).map(send));
      await sendEvent(eventAbout(customer, "customer.subscription.updated"));
      await become(user, after);
      expect((await billingOf(user)).status).toBe(after);
    }),
    { numRuns: 3 },
  );
});

test("a vendor that fails, limits, lies or does not answer delays the state, and loses nothing", async () => {
  const user = await registerOrganization();
  const { customer } = await link(user);
  await subscribe(customer);
  const on = customer;
  await stripe("trouble", { on, kind: "status", status: 500, times: 1 });
  await stripe("trouble", { on, kind: "malformed", times: 1 });
  await stripe("trouble", { on, kind: "drop", times: 1 });
  await sendEvent(eventAbout(customer));
  await become(user, "active");
});

test("a sandbox has no billing account, and its plan is shown to nobody as its parent's", async () => {
  const user = await registerOrganization();
  const { customer } = await link(user);
  await subscribe(customer);
  await sendEvent(eventAbout(customer));
  await become(user, "active");
  const sandboxes = sandboxSteps(http);
  const { id } = await sandboxes.create(user.token, "billing");
  const token = await sandboxes.enter(user.token, id);
  expect(await billingOf({ token })).toMatchObject({ plan: "free", status: "free", usage: [] });
  const record = await client.db(id).collection("organization").findOne();
  expect(JSON.stringify(record?.billing)).not.toContain(customer);
});

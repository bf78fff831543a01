/** All organizations are synced here. Tests that this disturbs, because a vendor is in trouble once, are here too. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { addUser, databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { dayBefore, eventsOf, linked, totals, usageSyncs, uses } from "./syncs.ts";
import { billingOf, eventAbout, hooksAreHandled, patiently, sendEvent, stripe, subscribe, twilio } from "./vendors.ts";

let operator: User;
let syncs: ReturnType<typeof usageSyncs>;
let client: Awaited<ReturnType<typeof databaseClient>>;

beforeAll(async () => {
  client = await databaseClient();
  const { organizationId } = await registerOrganization();
  operator = await addUser(organizationId, { isSuperuser: true });
  syncs = usageSyncs(operator);
});
afterAll(() => client.close());

test("a request for a usage sync without a body or with null is for yesterday", async () => {
  const before = dayBefore(1, Date.now());
  const first = await syncs.sync();
  expect(first.body).toMatchObject({ days: 1 });
  const reply = await http.post("/v1/billing/sync-smsvendor-usage", {
    token: operator.token,
    raw: "null",
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(200);
  const { start_date, end_date } = await syncs.runOf(reply.body.run_id);
  expect([before, dayBefore(1, Date.now())]).toContain(start_date);
  expect(end_date).toBe(start_date);
  // They sync all organizations, and would take the troubles of the vendors in other tests.
  await Promise.all([syncs.ended(first.body.run_id), syncs.ended(reply.body.run_id)]);
});

test("failures of the vendors repeat the work and count nothing twice", async () => {
  const { user, ids, ...of } = await linked();
  // The link lets the payment vendor be asked too.
  await hooksAreHandled(user);
  await uses(of, dayBefore(1), { "sms-outbound": 5, "sms-inbound": 2 });
  await twilio("trouble", { on: of.account, kind: "status", status: 429, retry_after: 9, times: 1 });
  await twilio("trouble", { on: of.account, kind: "malformed", times: 1 });
  // The payment vendor has taken the events, and its answers are lost.
  await stripe("trouble", { on: of.customer, kind: "drop", after: true, times: 1 });
  await stripe("trouble", { on: of.customer, kind: "status", status: 500, after: true, times: 1 });
  const started = performance.now();
  const run = await syncs.synced({ organization_ids: ids });
  // As long as the SMS vendor has asked for.
  expect(performance.now() - started).toBeGreaterThan(9_000);
  expect(run.status).toBe("completed");
  expect(await totals(of)).toEqual({ [`sms_inbound/${dayBefore(1)}`]: 2, [`sms_outbound/${dayBefore(1)}`]: 5 });
  expect(await eventsOf(of)).toHaveLength(2);
});

test.each([429, 503])(
  "the payment vendor is asked again after the time that its %i names, and not before",
  async (status) => {
    const { user, customer } = await linked();
    await hooksAreHandled(user);
    await subscribe(customer);
    await stripe("trouble", { on: customer, kind: "status", status, retry_after: 9, times: 1 });
    const sent = performance.now();
    await sendEvent(eventAbout(customer));
    await expect.poll(async () => (await billingOf(user)).status, patiently).toBe("active");
    expect(performance.now() - sent).toBeGreaterThan(9_000);
  },
);

test("the daily job syncs the last three days", async () => {
  const { ids, ...of } = await linked();
  for (const days of [0, 1, 2, 3, 4]) await uses(of, dayBefore(days), { "sms-outbound": days + 1 });
  const { run_id, days } = await invokeOperation<{ run_id: string; days: number }>("sync-billing", {});
  expect(days).toBe(3);
  const mine = async () => {
    const found = await client
      .db("base")
      .collection("usage_run_day")
      .find({ run_id, organization_id: ids[0] })
      .toArray();
    return found.map(({ status }) => status);
  };
  await expect.poll(mine, patiently).toEqual(["done", "done", "done"]);
  const yesterday = (await syncs.runOf(run_id)).end_date;
  expect([dayBefore(1), dayBefore(1, Date.now())]).toContain(yesterday);
  const synced = [2, 1, 0].map((day) => `sms_outbound/${dayBefore(day, Date.parse(yesterday))}`);
  expect(Object.keys(await totals(of)).sort()).toEqual(synced);
});

import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { addUser, databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { dayBefore, eventsOf, linked, totals, usageSyncs, uses } from "./syncs.ts";
import { link, newAccount, twilio } from "./vendors.ts";

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

const usageOf = async ({ token }: User, query = "") =>
  (await http.get(`/v1/billing/usage${query}`, { token, expect: 200 })).body.usage;

describe("a request for a usage sync", () => {
  const wrong: Record<string, object> = {
    "for tomorrow": { start_date: dayBefore(-1), end_date: dayBefore(-1) },
    "from a later day to an earlier one": { start_date: dayBefore(2), end_date: dayBefore(5) },
    "for 93 days": { start_date: dayBefore(93), end_date: dayBefore(1) },
    "for a day that does not exist": { start_date: "2026-02-30" },
    "with an unknown field": { days: 3 },
    "for no organization": { organization_ids: [] },
  };
  it.each(Object.entries(wrong))("%s is refused", async (_, body) => {
    const reply = await syncs.sync(body);
    expect(`${reply.status} ${reply.body.code}`).toBe("422 validation_failed");
  });

  it("for today is refused", async () => {
    const today = dayBefore(0, Date.now());
    const reply = await syncs.sync({ start_date: today, end_date: today });
    expect(`${reply.status} ${reply.body.code}`).toBe("422 validation_failed");
  });

  it("for an organization without an account has nothing to do", async () => {
    const { organizationId } = await registerOrganization();
    expect((await syncs.sync({ organization_ids: [organizationId, "org_unknown"] })).body).toMatchObject({
      organizations: 0,
      status: "completed",
    });
  });

  it("of an unknown run is a 404", async () => {
    const reply = await http.get("/v1/billing/usage-runs/none", { token: operator.token });
    expect(`${reply.status} ${reply.body.code}`).toBe("404 usage_run_not_found");
  });
});

test("usage is stored by day and category, and metered categories are reported", async () => {
  const { user, ids, ...of } = await linked();
  // The vendor's pages have two records each.
  await uses(of, dayBefore(2), { sms: 7, "sms-inbound": 3, "sms-outbound": 4, calls: 0, totalprice: 0.5 });
  await uses(of, dayBefore(1), { "sms-outbound": 11 });
  const run = await syncs.synced({ start_date: dayBefore(2), end_date: dayBefore(1), organization_ids: ids });
  expect(run).toMatchObject({ status: "completed", organizations: 1, days: 2, pending: 0, failed: 0 });
  expect(run.results).toEqual([
    {
      organization_id: user.organizationId,
      days: [
        { date: dayBefore(2), status: "done", records: 5 },
        { date: dayBefore(1), status: "done", records: 1 },
      ],
    },
  ]);
  expect(await totals(of)).toEqual({
    [`sms_inbound/${dayBefore(2)}`]: 3,
    [`sms_outbound/${dayBefore(2)}`]: 4,
    [`sms_outbound/${dayBefore(1)}`]: 11,
  });
  const found = await usageOf(user, `?start_date=${dayBefore(2)}&end_date=${dayBefore(2)}`);
  expect(found.map((one: Record<string, unknown>) => [one.category, one.quantity, one.report_status])).toEqual([
    ["calls", 0, "not_metered"],
    ["sms", 7, "not_metered"],
    ["sms-inbound", 3, "reported"],
    ["sms-outbound", 4, "reported"],
    ["totalprice", 0.5, "not_metered"],
  ]);
  expect(found[3]).toMatchObject({ unit: "messages", price: 0.0075, currency: "usd" });
});

test("a second sync replaces what has changed, and reports nothing again that has not", async () => {
  const { user, ids, ...of } = await linked();
  const asked = { start_date: dayBefore(1), end_date: dayBefore(1), organization_ids: ids };
  await uses(of, dayBefore(1), { "sms-outbound": 5, "sms-inbound": 2 });
  await syncs.synced(asked);
  await syncs.synced(asked);
  expect(await eventsOf(of)).toHaveLength(2);
  await uses(of, dayBefore(1), { "sms-outbound": 9 });
  await twilio("forget", { account: of.account, date: dayBefore(1), category: "sms-inbound" });
  await syncs.synced(asked);
  await syncs.synced(asked);
  expect(await totals(of)).toEqual({ [`sms_inbound/${dayBefore(1)}`]: 0, [`sms_outbound/${dayBefore(1)}`]: 9 });
  const events = await eventsOf(of);
  expect(events).toHaveLength(4);
  // A later event of a day is also later by its own time.
  const ofOutbound = events.filter(({ event_name }) => event_name === "sms_outbound").map(({ timestamp }) => timestamp);
  expect(ofOutbound[1]).toBeGreaterThan(ofOutbound[0] ?? 0);
  expect(
    await client.db("base").collection("usage_record").countDocuments({ organization_id: user.organizationId }),
  ).toBe(2);
});

test("three syncs of the same days at once give the totals of one", async () => {
  const { ids, ...of } = await linked();
  const days = [1, 2, 3, 4].map((day) => dayBefore(day));
  for (const [index, date] of days.entries())
    await uses(of, date, { "sms-outbound": 10 + index, "sms-inbound": index + 1 });
  const asked = { start_date: days.at(-1), end_date: days[0], organization_ids: ids };
  const runs = await Promise.all([syncs.synced(asked), syncs.synced(asked), syncs.synced(asked)]);
  expect(runs.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  expect(await eventsOf(of)).toHaveLength(8);
  expect(Object.values(await totals(of)).reduce((sum, value) => sum + value, 0)).toBe(
    10 + 11 + 12 + 13 + 1 + 2 + 3 + 4,
  );
});

test("an organization whose account is gone, or whose meter is, fails by itself", async () => {
  const [gone, wrong, good] = await Promise.all([linked(), linked(), linked()]);
  await uses(good, dayBefore(1), { "sms-outbound": 1 });
  await uses(wrong, dayBefore(1), { "fax-outbound": 1, "sms-outbound": 2 });
  const run = await syncs.synced({ organization_ids: [gone, wrong, good].flatMap(({ ids }) => ids) });
  expect(run).toMatchObject({ status: "completed_with_failures", failed: 2, pending: 0 });
  const reasonOf = ({ ids }: { ids: string[] }) =>
    run.results.find(({ organization_id }: { organization_id: string }) => organization_id === ids[0]).days[0];
  expect(reasonOf(gone)).toMatchObject({ status: "failed", reason: "The vendor does not know this account." });
  expect(reasonOf(wrong)).toMatchObject({ status: "failed", reason: expect.stringContaining("fax-outbound") });
  expect(reasonOf(good)).toMatchObject({ status: "done" });
  expect(await totals(good)).toEqual({ [`sms_outbound/${dayBefore(1)}`]: 1 });
  expect(await totals(wrong)).toEqual({ [`sms_outbound/${dayBefore(1)}`]: 2 });
});

test("days that the payment vendor takes no more, and usage of nobody's account, are stored and not reported", async () => {
  const { user, ids, ...of } = await linked();
  await uses(of, dayBefore(40), { "sms-outbound": 4 });
  await uses(of, dayBefore(34), { "sms-outbound": 3 });
  await syncs.synced({ start_date: dayBefore(40), end_date: dayBefore(34), organization_ids: ids });
  const found = await usageOf(user, `?start_date=${dayBefore(40)}&end_date=${dayBefore(34)}`);
  expect(found.map(({ report_status }: { report_status: string }) => report_status)).toEqual([
    "not_reportable",
    "reported",
  ]);
  const free = await registerOrganization();
  const account = newAccount();
  await invokeOperation("link-billing", { organization_id: free.organizationId, smsvendor_account_id: account });
  await uses({ account, customer: "" }, dayBefore(1), { "sms-outbound": 6 });
  await syncs.synced({ organization_ids: [free.organizationId] });
  expect((await usageOf(free))[0]).toMatchObject({ quantity: 6, report_status: "no_customer" });
});

test("a run is shown in pages, and its messages are added in several steps", async () => {
  const many = await Promise.all([linked(), linked(), linked()]);
  for (const of of many) await uses(of, dayBefore(1), { "sms-outbound": 1 });
  // 500 messages are added in one step.
  const run = await syncs.synced({
    start_date: dayBefore(92),
    end_date: dayBefore(1),
    organization_ids: many.flatMap(({ ids }) => ids),
  });
  expect(run).toMatchObject({ status: "completed", organizations: 3, days: 92 });
  const first = await syncs.runOf(run.run_id, "?limit=2");
  expect(first.results).toHaveLength(2);
  const second = await syncs.runOf(run.run_id, `?limit=2&cursor=${first.next_cursor}`);
  expect(second.results).toHaveLength(1);
  const shown = [...first.results, ...second.results].map(({ organization_id }) => organization_id);
  expect(shown).toEqual(many.flatMap(({ ids }) => ids).sort());
});

test("administrators see the usage of their own organization only, and no member does", async () => {
  const { user, ids, ...of } = await linked();
  await uses(of, dayBefore(1), { "sms-outbound": 5 });
  await syncs.synced({ organization_ids: ids });
  expect(await usageOf(user)).toHaveLength(1);
  const stranger = await registerOrganization();
  expect(await usageOf(stranger)).toEqual([]);
  const member = await addUser(user.organizationId);
  expect((await http.get("/v1/billing/usage", { token: member.token })).status).toBe(403);
  const wrong = await http.get("/v1/billing/usage?start_date=2026-01-01&end_date=2025-01-01", { token: user.token });
  expect(wrong.status).toBe(422);
});

test("an account at a vendor belongs to one organization, and a sandbox has none", async () => {
  const { customer } = await link(await registerOrganization());
  const other = await registerOrganization();
  const asked = { organization_id: other.organizationId, paymentvendor_customer_id: customer };
  await expect(invokeOperation("link-billing", asked)).rejects.toThrow(/Another organization/);
  await expect(invokeOperation("link-billing", { organization_id: "org_none" })).rejects.toThrow(
    /no such organization/,
  );
});

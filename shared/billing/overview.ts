import { nowMillis } from "#shared/foundation/clock";
import { base, type Tenant, type UsageRecord } from "#shared/tenant/tenant";
import { FREE } from "./payment-state.ts";
import { checkedRange, dayOf } from "./usage/days.ts";

const momentOf = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

/** Sums of fractions of a cent and the like, without the noise of binary fractions. */
const rounded = (sum: number): number => Math.round(sum * 1e6) / 1e6;

const MOST_RECORDS = 10_000;

const usageBetween = async (organization_id: string, start: string, end: string): Promise<UsageRecord[]> => {
  const { usageRecords } = await base();
  const range = { organization_id, date: { $gte: start, $lte: end } };
  return usageRecords
    .find(range)
    .sort({ date: 1, category: 1 })
    .limit(MOST_RECORDS + 1)
    .toArray();
};

const addedUp = (records: readonly UsageRecord[]) =>
  [...Map.groupBy(records, ({ category }) => category)]
    .map(([category, of]) => ({
      category,
      quantity: rounded(of.reduce((sum, { quantity }) => sum + quantity, 0)),
      unit: of.at(-1)?.unit ?? null,
    }))
    .toSorted((a, b) => a.category.localeCompare(b.category));

/** Where the payment of the caller's organization stands, without the keys of vendors. */
export const billingOverview = async ({ organization_id }: Tenant) => {
  const { billingAccounts } = await base();
  const today = dayOf(nowMillis());
  const [account, records] = await Promise.all([
    billingAccounts.findOne({ _id: organization_id }),
    usageBetween(organization_id, `${today.slice(0, 7)}-01`, today),
  ]);
  const { plan, status, current_period_end, past_due_since } = account?.state ?? FREE;
  return {
    plan,
    status,
    current_period_end: momentOf(current_period_end),
    past_due_since: momentOf(past_due_since),
    writes_end_at: momentOf(account?.writes_end_at),
    usage: addedUp(records),
  };
};

/** The usage of the caller's organization. Raises `validation_failed`. */
export const listUsage = async (
  { organization_id }: Tenant,
  asked: { readonly start_date?: string | undefined; readonly end_date?: string | undefined },
) => {
  const { start, end } = checkedRange(asked, "query", dayOf(nowMillis()), 30);
  const records = await usageBetween(organization_id, start, end);
  const usage = records
    .slice(0, MOST_RECORDS)
    .map(({ date, category, quantity, unit, price, currency, report_status }) => ({
      date,
      category,
      quantity,
      unit,
      price,
      currency,
      report_status,
    }));
  return { start_date: start, end_date: end, usage, truncated: records.length > MOST_RECORDS };
};

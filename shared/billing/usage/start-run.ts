import type { ClientSession, Filter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { usageSyncMessage } from "#contracts/billing-messages";
import { now, nowMillis } from "#shared/foundation/clock";
import { addToBaseOutbox, type BillingAccount, base, messageFor, type UsageRun } from "#shared/tenant/tenant";
import { daysBetween } from "./days.ts";

/** Runs are kept for 30 days. */
const KEPT_MS = 30 * 86_400_000;
/** Messages that one message adds. */
const BATCH = 500;

export interface AskedUsage {
  readonly start: string;
  readonly end: string;
  readonly organization_ids?: readonly string[] | undefined;
}

export interface StartedRun {
  readonly run_id: string;
  readonly organizations: number;
  readonly days: number;
  readonly status: "running" | "completed";
}

/** The organizations of a run: those with an account at the SMS vendor. */
const accountsOf = ({ organization_ids }: Pick<UsageRun, "organization_ids">): Filter<BillingAccount> => ({
  smsvendor_account_id: { $exists: true },
  ...(organization_ids !== undefined && { _id: { $in: organization_ids } }),
});

const addPlan = (session: ClientSession, run_id: string, after: string) =>
  addToBaseOutbox(session, [messageFor(usageSyncMessage, { kind: "plan", run_id, after })]);

/** Begins a sync of usage. Its messages are added by further messages, because there may be a million. */
export const startUsageRun = async ({ start, end, organization_ids }: AskedUsage): Promise<StartedRun> => {
  const { billingAccounts, usageRuns, transaction } = await base();
  const days = daysBetween(start, end).length;
  const asked = organization_ids === undefined ? {} : { organization_ids: [...new Set(organization_ids)].sort() };
  const organizations = await billingAccounts.countDocuments(accountsOf(asked));
  const run: UsageRun = {
    _id: uuidv7(),
    start_date: start,
    end_date: end,
    days,
    organizations,
    ...asked,
    planned_after: "",
    planned: organizations === 0,
    created_date: now(),
    expires_at: new Date(nowMillis() + KEPT_MS),
  };
  await transaction(async (session) => {
    await usageRuns.insertOne(run, { session });
    if (!run.planned) await addPlan(session, run._id, "");
  });
  return { run_id: run._id, organizations, days, status: run.planned ? "completed" : "running" };
};

/**
 * Adds the messages of the next organizations of a run, one for each organization and day, and the message that goes
 * on. A repetition adds nothing.
 */
export const planUsageRun = async (run_id: string, after: string): Promise<void> => {
  const { billingAccounts, usageRuns, usageRunDays, transaction } = await base();
  const run = await usageRuns.findOne({ _id: run_id });
  if (run === null) return;
  const dates = daysBetween(run.start_date, run.end_date);
  const most = Math.max(1, Math.floor(BATCH / dates.length));
  const next = await billingAccounts
    .find({ $and: [accountsOf(run), { _id: { $gt: after } }] }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(most)
    .toArray();
  const days = next.flatMap(({ _id: organization_id }) => dates.map((date) => ({ organization_id, date })));
  const last = next.at(-1)?._id ?? after;
  const planned = next.length < most;
  await transaction(async (session) => {
    const mine = { _id: run_id, planned_after: after, planned: false };
    const progress = await usageRuns.updateOne(mine, { $set: { planned_after: last, planned } }, { session });
    if (progress.matchedCount === 0) return;
    if (days.length > 0) {
      const { expires_at } = run;
      const waiting = days.map(({ organization_id, date }) => ({
        _id: `${run_id}/${organization_id}/${date}`,
        run_id,
        organization_id,
        date,
        status: "pending" as const,
        expires_at,
      }));
      await usageRunDays.insertMany(waiting, { session });
      // SQS is fair among groups, so a long run of one organization does not delay the others.
      const messages = days.map((day) =>
        messageFor(usageSyncMessage, { kind: "day", run_id, ...day }, day.organization_id),
      );
      await addToBaseOutbox(session, messages);
    }
    if (!planned) await addPlan(session, run_id, last);
  });
};

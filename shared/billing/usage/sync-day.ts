import { validate as isUuid } from "uuid";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { base } from "#shared/tenant/tenant";
import { giveLeaseBack, type HeldLease, takeLease } from "../lease.ts";
import { paymentVendor, usageAccount } from "../vendors/configured.ts";
import { dailyUsage } from "../vendors/twilio-usage.ts";
import { type Later, laterAfter } from "../vendors/unavailable.ts";
import { reportDay } from "./report-day.ts";
import { storeDay, type UsageKey } from "./store-day.ts";

export interface DayMessage extends UsageKey {
  /** The id of the message, a UUIDv7. */
  readonly id: string;
  readonly run_id: string;
  readonly remaining: () => number;
}

/** A vendor that does not answer for so long is left alone. The job of the next day reads the last three days again. */
const PATIENCE_MS = 6 * 3_600_000;

interface Outcome {
  readonly status: "done" | "failed";
  readonly records?: number;
  readonly reason?: string;
}

const failed = (reason: string): Outcome => ({ status: "failed", reason });

const syncHeld = async (key: UsageKey, held: HeldLease): Promise<Outcome> => {
  const { billingAccounts } = await base();
  const [account, usage, vendor] = await Promise.all([
    billingAccounts.findOne({ _id: key.organization_id }),
    usageAccount(),
    paymentVendor(),
  ]);
  if (usage === null) return failed("The platform has no account at the SMS vendor: see docs/deploy.md.");
  if (account?.smsvendor_account_id === undefined) return failed("The organization has no account at the SMS vendor.");
  const used = await dailyUsage(usage, account.smsvendor_account_id, key.date);
  const records = await storeDay(key, used, held);
  const { meters } = usage;
  const refused = await reportDay(key, { vendor, customerId: account.payment_customer_id, meters, held });
  return refused === null ? { status: "done", records } : { status: "failed", records, reason: refused };
};

/** In milliseconds since the epoch (RFC 9562 §5.7). */
const createdAt = (id: string): number => (isUuid(id) ? Number.parseInt(id.replace("-", "").slice(0, 12), 16) : 0);

/** Faults after which another attempt may succeed. */
const passing: ReadonlySet<string> = new Set(["vendor_unavailable", "in_progress"]);

const outcomeOf = (error: unknown, id: string): Outcome | Later => {
  if (!(error instanceof Fault)) throw error;
  if (error.code === "vendor_account_unknown") return failed(error.message);
  if (!passing.has(error.code)) throw error;
  return nowMillis() - createdAt(id) < PATIENCE_MS ? laterAfter(error) : failed(error.message);
};

/**
 * Syncs one organization on one day: reads the vendor, replaces what is stored, and reports it. Only one worker at a
 * time does that, and a repetition at any point has the same outcome. `later`: a vendor does not answer, or somebody
 * else works on the day.
 */
export const syncDay = async (message: DayMessage): Promise<Later | undefined> => {
  const { id, run_id, organization_id, date, remaining } = message;
  const key = { organization_id, date };
  const { usageDays, usageRunDays } = await base();
  const _id = `${organization_id}/${date}`;
  let outcome: Outcome | Later;
  try {
    const held = await takeLease(usageDays, _id, remaining(), true);
    try {
      outcome = await syncHeld(key, held);
    } finally {
      await giveLeaseBack(usageDays, _id, held);
    }
  } catch (error) {
    outcome = outcomeOf(error, id);
  }
  if (outcome === "later" || "later" in outcome) return outcome;
  if (outcome.status === "failed")
    log.error(
      { organization: organization_id, date, reason: outcome.reason, alarm: "usage-not-synced" },
      "usage was not synced",
    );
  await usageRunDays.updateOne({ _id: `${run_id}/${_id}` }, { $set: { ...outcome } });
  return undefined;
};

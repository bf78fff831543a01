import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { base, type UsageRecord } from "#shared/tenant/tenant";
import type { HeldLease } from "../lease.ts";
import type { DailyUsage } from "../vendors/twilio-usage.ts";

export interface UsageKey {
  readonly organization_id: string;
  readonly date: string;
}

const idOf = ({ organization_id, date }: UsageKey, category: string): string =>
  `${organization_id}/${date}/${category}`;

/** What is stored of a day. */
export const storedDay = async ({ organization_id, date }: UsageKey): Promise<UsageRecord[]> => {
  const { usageRecords } = await base();
  return usageRecords.find({ organization_id, date }).sort({ category: 1 }).toArray();
};

/** A category that the vendor does not name any more was used by nobody. */
const withoutGone = (used: readonly DailyUsage[], stored: readonly UsageRecord[]): DailyUsage[] => {
  const named = new Set(used.map(({ category }) => category));
  const gone = stored.filter(({ category }) => !named.has(category));
  return [
    ...used,
    ...gone.map(({ category, unit, currency, price }) => ({
      category,
      quantity: 0,
      unit,
      price: price === null ? null : 0,
      currency,
    })),
  ];
};

/**
 * Replaces what is stored of a day by what the vendor says now, and gives the number of records. Categories that were
 * never used are not stored. Raises `in_progress` if a later holder of the day's lease has written already.
 */
export const storeDay = async (key: UsageKey, used: readonly DailyUsage[], { fence }: HeldLease): Promise<number> => {
  const { usageRecords } = await base();
  const stored = await storedDay(key);
  const before = new Map(stored.map((record) => [record.category, record]));
  const present = withoutGone(used, stored).filter(({ category, quantity, price }) => {
    return before.has(category) || quantity !== 0 || (price ?? 0) !== 0;
  });
  const writes = present.map((usage) => {
    const isChanged = before.get(usage.category)?.quantity !== usage.quantity;
    const _id = idOf(key, usage.category);
    return {
      updateOne: {
        filter: { _id, fence: { $lte: fence } },
        update: {
          $set: { ...key, ...usage, fence, synced_at: now(), ...(isChanged && { report_status: "pending" as const }) },
          ...(isChanged && { $inc: { revision: 1 } }),
        },
        upsert: true,
      },
    };
  });
  if (writes.length === 0) return 0;
  try {
    await usageRecords.bulkWrite(writes);
  } catch (error) {
    // The record has a higher fence, so the upsert meets it.
    if (isDuplicateKey(error)) throw new Fault("in_progress");
    throw error;
  }
  return present.length;
};

import type { ClientSession, Collection, Filter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { Actor } from "#contracts/actor";
import {
  changeSchedules,
  isWaiting,
  itemRemoval,
  MOST_HISTORY,
  SCHEDULED_ITEM,
  type ScheduledItem,
  withStatus,
} from "#shared/data/records/scheduling/scheduling";
import { now, nowMillis } from "#shared/foundation/clock";
import { openWithState, type TenantDatabase } from "#shared/tenant/tenant";

/** Longer than the function may run that works on a run. */
const LEASE_MS = 120_000;

/** Who works on a run. Stored with the item, and shown to nobody. */
interface Claim {
  readonly id: string;
  /** When they have certainly ended. */
  readonly until: Date;
}

export interface StoredItem extends ScheduledItem {
  readonly _claim?: Claim;
  readonly _actor?: Actor;
  readonly modified_by?: { readonly id: string };
  readonly function?: { readonly id: string };
  readonly automation?: { readonly id: string };
  readonly data?: Readonly<Record<string, unknown>>;
}

export const itemsOf = ({ collection }: Pick<TenantDatabase, "collection">): Collection<StoredItem> =>
  collection<StoredItem>(SCHEDULED_ITEM);

export const isRecurring = ({ schedule_expression }: ScheduledItem): boolean => schedule_expression !== undefined;

/** A run of an item that nobody else works on. `item` is as it was before. */
export interface ClaimedItem {
  readonly item: StoredItem;
  readonly claim: Claim;
}

/** What a schedule asks for. */
export interface ItemRun {
  readonly id: string;
  readonly revision: number;
  /** Of a recurring item: one run for each. */
  readonly scheduled_time: Date;
}

/**
 * Takes a run, atomically: of all deliveries of it one gets it, and none of an earlier revision, of an item that is
 * cancelled or running, or for a time that is not after the last one.
 */
export const claimRun = async (database: TenantDatabase, run: ItemRun): Promise<ClaimedItem | null> => {
  const { id, revision, scheduled_time } = run;
  const at = now();
  const claim = { id: uuidv7(), until: new Date(at.getTime() + LEASE_MS) };
  const take = (which: Filter<StoredItem>, more: Partial<StoredItem>): Promise<StoredItem | null> =>
    itemsOf(database).findOneAndUpdate(
      { _id: id, revision, status: "Queued", ...which },
      {
        $set: { status: "Running", _claim: claim, ...more },
        $push: { status_history: { $each: [{ status: "Running", at }], $slice: -MOST_HISTORY } },
      },
      { returnDocument: "before" },
    );
  const isFirst = [{ last_run: { $exists: false } }, { last_run: { $lt: scheduled_time } }];
  const item =
    (await take({ schedule_expression: { $exists: false } }, {})) ??
    (await take({ schedule_expression: { $exists: true }, $or: isFirst }, { last_run: scheduled_time }));
  return item === null ? null : { item, claim };
};

/** How a run ended. */
export interface Ending {
  readonly status: "Completed" | "Failed";
  readonly reason?: string | undefined;
  readonly execution_id?: string | undefined;
  /** A recurring item is not queued again. */
  readonly isFinal?: true;
}

const LONGEST_REASON = 500;

/**
 * Ends a run: a recurring item is queued again, unless it is over. An item that was cancelled meanwhile stays
 * cancelled, and nothing happens to one that was deleted, or whose run was ended by somebody else.
 */
export const endRun = (database: TenantDatabase, { item, claim }: ClaimedItem, ending: Ending): Promise<void> =>
  database.transaction(async (session) => {
    const items = itemsOf(database);
    const present = await items.findOne({ _id: item._id, "_claim.id": claim.id }, { session });
    if (present === null) return;
    const { execution_id, isFinal } = ending;
    const reason = ending.reason?.slice(0, LONGEST_REASON);
    const goesOn = isRecurring(present) && isFinal !== true && isWaiting(present);
    const next = goesOn ? "Queued" : ending.status;
    const status = present.status === "Running" ? next : (present.status ?? next);
    const entry = { status, at: now(), ...(reason && { reason }), ...(execution_id && { execution_id }) };
    await items.updateOne(
      { _id: item._id },
      {
        $set: {
          status,
          ...(execution_id && { execution_id }),
          ...(status !== present.status && { status_history: withStatus(present.status_history, entry) }),
        },
        $unset: { _claim: "" },
      },
      { session },
    );
    const isOver = isRecurring(present) && status !== "Queued";
    if (isOver) await changeSchedules(database, [itemRemoval(database.organization_id, present)], session);
  });

/** Gives a run back that has not begun, as if nobody had taken it. False if it is not there any more. */
export const releaseRun = async (
  database: TenantDatabase,
  { item, claim }: ClaimedItem,
  session?: ClientSession,
): Promise<boolean> => {
  const { last_run } = item;
  const { modifiedCount } = await itemsOf(database).updateOne(
    { _id: item._id, "_claim.id": claim.id, status: "Running" },
    {
      $set: { status: "Queued", ...(last_run !== undefined && { last_run }) },
      $pop: { status_history: 1 },
      $unset: { _claim: "", ...(last_run === undefined && { last_run: "" }) },
    },
    session === undefined ? {} : { session },
  );
  return modifiedCount > 0;
};

/** Ends the runs on which nobody works any more. Gives their number. */
export const endInterrupted = async (database: TenantDatabase, id?: string): Promise<number> => {
  const over = { status: "Running", "_claim.until": { $lt: new Date(nowMillis()) } } as const;
  const found = await itemsOf(database)
    .find(id === undefined ? over : { ...over, _id: id })
    .limit(1_000)
    .toArray();
  for (const item of found) {
    if (item._claim === undefined) continue;
    await endRun(database, { item, claim: item._claim }, { status: "Failed", reason: "interrupted" });
  }
  return found.length;
};

/** Completes recurring items whose end has come. Gives their number. */
export const endOver = async (database: TenantDatabase): Promise<number> => {
  const at = now();
  const { modifiedCount } = await itemsOf(database).updateMany(
    { status: "Queued", schedule_expression: { $exists: true }, enabled_until: { $lte: at } },
    {
      $set: { status: "Completed" },
      $push: { status_history: { $each: [{ status: "Completed", at }], $slice: -MOST_HISTORY } },
    },
  );
  return modifiedCount;
};

/** Ends the runs of an organization on which nobody works any more. `isLeft`: a later call must look again. */
export const endInterruptedItems = async (
  organizationId: string,
): Promise<{ readonly interrupted: number; readonly isLeft: boolean }> => {
  const opened = await openWithState(organizationId);
  if (opened === null || opened.state.status === "deleting") return { interrupted: 0, isLeft: false };
  const { database } = opened;
  const interrupted = await endInterrupted(database);
  const isLeft = (await itemsOf(database).findOne({ status: "Running" }, { projection: { _id: 1 } })) !== null;
  return { interrupted, isLeft };
};

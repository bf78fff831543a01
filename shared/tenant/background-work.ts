import { boundedCache } from "#shared/foundation/bounded-cache";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { base } from "./base.ts";

/** What an organization may have in its database that only a job completes. */
export type BackgroundKind = "outbox" | "executions" | "schedules" | "messages";

/** An organization that may have work of a kind, and when this was last said. In the base database. */
export type BackgroundWork = { readonly _id: string } & { readonly [K in BackgroundKind]?: Date };

/** An environment repeats its mark of an organization after this time. */
const REPEATED_MS = 20_000;
/**
 * A mark stays at least so long. Longer than `REPEATED_MS` and the longest transaction of MongoDB (60 s) together, so
 * that what a transaction has written after the mark is committed before the mark can go.
 */
const KEPT_MS = 120_000;
/** Organizations that a job visits at the same time, as many as the driver's pool has connections. */
const AT_ONCE = 4;
/** Milliseconds that a job needs to end. */
const RESERVE_MS = 5_000;

/** Kind and organization → nothing, while the mark is fresh. */
const marked = boundedCache<object>({ mostBytes: 1024 * 1024, bytesOf: () => 50, ttl: REPEATED_MS });

/**
 * Lets the jobs of this kind visit the organization. Called before the work that they may have to complete is
 * committed, in the same minute. The write is no part of any transaction.
 */
export const markBackgroundWork = async (organizationId: string, kind: BackgroundKind): Promise<void> => {
  const key = `${kind} ${organizationId}`;
  if (marked.get(key) !== undefined) return;
  const start = nowMillis();
  const { backgroundWork } = await base();
  await backgroundWork.updateOne({ _id: organizationId }, { $set: { [kind]: new Date(start) } }, { upsert: true });
  marked.set(key, {}, start);
};

/** Removes the mark, unless it was repeated or is younger than a transaction may be. */
const unmark = async ({ _id, ...marks }: BackgroundWork, kind: BackgroundKind): Promise<void> => {
  const mark = marks[kind];
  if (mark === undefined || nowMillis() - mark.getTime() < KEPT_MS) return;
  const { backgroundWork } = await base();
  await backgroundWork.updateOne({ _id, [kind]: mark }, { $unset: { [kind]: "" } });
  const kinds: readonly BackgroundKind[] = ["outbox", "executions", "schedules", "messages"];
  const none = Object.fromEntries(kinds.map((other) => [other, { $exists: false }]));
  await backgroundWork.deleteOne({ _id, ...none });
};

export interface Visits {
  /** Organizations that were visited. */
  readonly organizations: number;
  /** Organizations whose visit failed. The next run tries again. */
  readonly failed: number;
}

/**
 * Visits every marked organization, those that have waited longest first, until the time is up. `visit` gives whether
 * there is work left that a later visit must see. A failed visit is logged and keeps the mark.
 */
export const visitMarked = async (
  kind: BackgroundKind,
  remaining: () => number,
  visit: (organizationId: string) => Promise<boolean>,
): Promise<Visits> => {
  const { backgroundWork } = await base();
  const counts = { organizations: 0, failed: 0 };
  const cursor = backgroundWork.find({ [kind]: { $lte: now() } }).sort({ [kind]: 1 });
  const waiting = cursor[Symbol.asyncIterator]();
  const worker = async (): Promise<void> => {
    while (remaining() > RESERVE_MS) {
      const { value: entry, done } = await waiting.next();
      if (done === true) return;
      counts.organizations += 1;
      try {
        if (!(await visit(entry._id))) await unmark(entry, kind);
      } catch (error) {
        counts.failed += 1;
        log.error({ organization: entry._id, kind, err: error }, "background work was not completed");
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await cursor.close();
  return counts;
};

import type { ClientSession } from "mongodb";
import { nowMillis } from "../clock.ts";
import type { CountedWrites } from "./counted-writes.ts";
import type { Tenant, TenantDatabase } from "./database.ts";
import { REQUEST_COLLECTION, type RequestMark } from "./documents.ts";

/** Longer than the answer to a request with an `Idempotency-Key` is kept. */
const KEPT_MS = 25 * 60 * 60_000;

/** Everything that is to be found out first, and then the writes. */
export type Prepare<T> = () => Promise<(session: ClientSession) => Promise<T>>;

export type Once = <T>(prepare: Prepare<T>) => Promise<T>;

/** For a request that nobody can repeat as the same one. */
export const plainly =
  ({ transaction }: CountedWrites): Once =>
  async (prepare) =>
    transaction(await prepare());

/**
 * The tenant of a request that may come again. What its transaction answers is stored in the same transaction, so that whoever
 * sends it again, whatever became of the first answer, is given the same and nothing is written twice.
 */
export const repeatable = (tenant: Tenant, requestId: string): Tenant => {
  const marks = tenant.collection<RequestMark>(REQUEST_COLLECTION);
  let used = false;
  const once = async <T>(prepare: Prepare<T>): Promise<T> => {
    if (used) throw new Error("A request that may come again has one transaction.");
    used = true;
    const mark = await marks.findOne({ _id: requestId });
    // What was stored is what this very request answered.
    if (mark !== null) return mark.result as T;
    const work = await prepare();
    return tenant.transaction(async (session) => {
      const result = await work(session);
      await marks.insertOne({ _id: requestId, result, expires_at: new Date(nowMillis() + KEPT_MS) }, { session });
      return result;
    });
  };
  return { ...tenant, once };
};

/** Marks leave by themselves. */
export const ensureRequestIndex = async (database: TenantDatabase): Promise<void> => {
  await database.collection(REQUEST_COLLECTION).createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
};

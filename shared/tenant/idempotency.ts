import type { Collection, UpdateResult } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now, nowMillis } from "#shared/foundation/clock";
import type { Tenant } from "./database.ts";
import { IDEMPOTENCY_COLLECTION, type IdempotencyKey } from "./documents.ts";
import { earlierResult, noteForEarlier } from "./earlier-idempotency.ts";
import { refuseFullStore } from "./idempotency-store.ts";
import { inFlight, type KeyedRequest, otherBody } from "./keyed-request.ts";
import { type Once, untilFresh } from "./once.ts";

const LEASE_MS = 60_000;
const KEPT_MS = 24 * 60 * 60_000;

/** The lease of an idempotency key, or the result of a request with the key that was carried out before. */
export interface KeyLease extends KeyedRequest {
  readonly lease_id: string;
  /** The ids that it wrote when it was carried out before, else null. */
  readonly result: readonly string[] | null;
}

const keysOf = (tenant: Tenant): Collection<IdempotencyKey> =>
  tenant.collection<IdempotencyKey>(IDEMPOTENCY_COLLECTION);

/** Matches the key while this lease holds it and nothing is written. */
const held = ({ id, lease_id }: KeyLease) => ({ _id: id, lease_id, result: null });

const refuseLost = ({ matchedCount }: UpdateResult): void => {
  if (matchedCount === 0) throw inFlight();
};

/** For a key that is new in this store. It may have been used in the store of an earlier version. */
const begin = async (tenant: Tenant, lease: KeyLease): Promise<KeyLease> => {
  try {
    const [earlier] = await Promise.all([earlierResult(tenant, lease), refuseFullStore(tenant)]);
    if (earlier === null) return lease;
    await keysOf(tenant).updateOne(held(lease), { $set: { result: [...earlier] } });
    return { ...lease, result: earlier };
  } catch (error) {
    await releaseLease(tenant, lease);
    throw error;
  }
};

/**
 * Takes the lease of the key, or finds the result of an earlier request. Only one of many concurrent requests gets the
 * lease. Raises `validation_failed` for another body, `idempotency_in_flight` and `too_many_idempotency_keys`.
 */
export const takeLease = async (tenant: Tenant, request: KeyedRequest): Promise<KeyLease> => {
  const keys = keysOf(tenant);
  const at = nowMillis();
  const fields = { lease_id: uuidv7(), lease_until: new Date(at + LEASE_MS), expires_at: new Date(at + KEPT_MS) };
  const fresh = { body_hash: request.body_hash, ...fields, result: null };
  const mine: KeyLease = { ...request, lease_id: fields.lease_id, result: null };
  const before = await keys.findOneAndUpdate(
    { _id: request.id },
    { $setOnInsert: fresh },
    { upsert: true, returnDocument: "before" },
  );
  if (before === null) return begin(tenant, mine);
  const { lease_id } = before;
  if (before.expires_at <= now()) {
    // Expired, and not yet deleted by MongoDB. The first request replaces it.
    refuseLost(await keys.updateOne({ _id: request.id, lease_id }, { $set: fresh }));
    return begin(tenant, mine);
  }
  if (before.body_hash !== request.body_hash) throw otherBody();
  if (before.result !== null) return { ...request, lease_id, result: before.result };
  refuseLost(await keys.updateOne({ _id: request.id, lease_id, lease_until: { $lte: now() } }, { $set: fields }));
  return mine;
};

/** Frees the key of a failed request, so that it can be sent again. A stored result stays. */
export const releaseLease = async (tenant: Tenant, lease: KeyLease): Promise<void> => {
  await keysOf(tenant).deleteOne(held(lease));
};

/**
 * The one effect of a request. Its ids are stored in the transaction that writes, or right after an effect without one.
 */
export const onceUnder = (tenant: Tenant, lease: KeyLease): Once & { readonly isUsed: () => boolean } => {
  let used = false;
  const use = (): void => {
    if (used) throw new Error("A request that may come again has one effect.");
    used = true;
  };
  return {
    isKeyed: true,
    isUsed: () => used,
    write: async (prepare, again) => {
      use();
      if (lease.result !== null) return again(lease.result);
      return untilFresh(async () => {
        const work = await prepare();
        const { value } = await tenant.transaction(async (session) => {
          const done = await work(session);
          refuseLost(await keysOf(tenant).updateOne(held(lease), { $set: { result: [...done.ids] } }, { session }));
          await noteForEarlier(tenant, lease, done.ids, session);
          return done;
        });
        return value;
      });
    },
    send: async (work) => {
      use();
      if (lease.result !== null) return;
      await work();
      await keysOf(tenant).updateOne(held(lease), { $set: { result: [] } });
    },
  };
};

import type { Collection, UpdateResult } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now, nowMillis } from "#shared/foundation/clock";
import type { Tenant } from "./database.ts";
import { IDEMPOTENCY_COLLECTION, type IdempotencyKey } from "./documents.ts";
import { earlierResult, noteForEarlier } from "./earlier-idempotency.ts";
import { refuseFullStore } from "./idempotency-store.ts";
import { inFlight, type KeyedRequest, otherBody } from "./keyed-request.ts";
import type { Once } from "./once.ts";

const LEASE_MS = 60_000;
const KEPT_MS = 24 * 60 * 60_000;

/** A request that holds the lease of its key, or that was carried out before. */
export interface Claim extends KeyedRequest {
  readonly lease_id: string;
  /** What it wrote when it was carried out before, else null. */
  readonly result: readonly string[] | null;
}

const keysOf = (tenant: Tenant): Collection<IdempotencyKey> =>
  tenant.collection<IdempotencyKey>(IDEMPOTENCY_COLLECTION);

/** For the holder of the lease only, and only while nothing is done. */
const held = ({ id, lease_id }: Claim) => ({ _id: id, lease_id, result: null });

const refuseLost = ({ matchedCount }: UpdateResult): void => {
  if (matchedCount === 0) throw inFlight();
};

/** A key that nobody has used in this store: it may be one of before. */
const begin = async (tenant: Tenant, claim: Claim): Promise<Claim> => {
  try {
    const [earlier] = await Promise.all([earlierResult(tenant, claim), refuseFullStore(tenant)]);
    if (earlier === null) return claim;
    await keysOf(tenant).updateOne(held(claim), { $set: { result: [...earlier] } });
    return { ...claim, result: earlier };
  } catch (error) {
    await release(tenant, claim);
    throw error;
  }
};

/**
 * Takes the lease of the key, or finds what came of it. Only one of many equal requests at once gets the lease.
 * Raises `validation_failed` for another body, `idempotency_in_flight` and `too_many_idempotency_keys`.
 */
export const claim = async (tenant: Tenant, request: KeyedRequest): Promise<Claim> => {
  const keys = keysOf(tenant);
  const at = nowMillis();
  const lease = { lease_id: uuidv7(), lease_until: new Date(at + LEASE_MS), expires_at: new Date(at + KEPT_MS) };
  const fresh = { body_hash: request.body_hash, ...lease, result: null };
  const mine: Claim = { ...request, lease_id: lease.lease_id, result: null };
  const before = await keys.findOneAndUpdate(
    { _id: request.id },
    { $setOnInsert: fresh },
    { upsert: true, returnDocument: "before" },
  );
  if (before === null) return begin(tenant, mine);
  const { lease_id } = before;
  if (before.expires_at <= now()) {
    // Past its day and only waiting to be swept: as good as gone, for whoever replaces it first.
    refuseLost(await keys.updateOne({ _id: request.id, lease_id }, { $set: fresh }));
    return begin(tenant, mine);
  }
  if (before.body_hash !== request.body_hash) throw otherBody();
  if (before.result !== null) return { ...request, lease_id, result: before.result };
  refuseLost(await keys.updateOne({ _id: request.id, lease_id, lease_until: { $lte: now() } }, { $set: lease }));
  return mine;
};

/** What failed may be sent again with the same key. What is done stays done, whatever failed afterwards. */
export const release = async (tenant: Tenant, claim: Claim): Promise<void> => {
  await keysOf(tenant).deleteOne(held(claim));
};

/** A request's one effect, noted in the transaction that writes it, or right after what no transaction covers. */
export const claimedOnce = (tenant: Tenant, claim: Claim): Once & { readonly isUsed: () => boolean } => {
  let used = false;
  const use = (): void => {
    if (used) throw new Error("A request that may come again has one effect.");
    used = true;
  };
  return {
    isUsed: () => used,
    write: async (prepare, again) => {
      use();
      if (claim.result !== null) return again(claim.result);
      const work = await prepare();
      const { value } = await tenant.transaction(async (session) => {
        const done = await work(session);
        refuseLost(await keysOf(tenant).updateOne(held(claim), { $set: { result: [...done.ids] } }, { session }));
        await noteForEarlier(tenant, claim, done.ids, session);
        return done;
      });
      return value;
    },
    send: async (work) => {
      use();
      if (claim.result !== null) return;
      await work();
      await keysOf(tenant).updateOne(held(claim), { $set: { result: [] } });
    },
  };
};

import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Contract } from "#contracts/contract";
import { now } from "../clock.ts";
import { Fault } from "../faults.ts";
import { type Base, base, type IdempotencyEntry, repeatable, type Tenant } from "../tenant/tenant.ts";
import type { HttpAnswer } from "./problem.ts";
import type { HttpEvent } from "./request.ts";

const LEASE_MS = 60_000;
const KEPT_MS = 24 * 60 * 60_000;
const MAX_KEY_LENGTH = 255;

type Run = (event: HttpEvent) => Promise<HttpAnswer>;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");

const keyOf = (event: HttpEvent): string | undefined => {
  const key = event.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (key.length === 0 || key.length > MAX_KEY_LENGTH) {
    throw new Fault("validation_failed", {
      issues: [
        {
          loc: ["headers", "idempotency-key"],
          msg: `The key must have 1 to ${MAX_KEY_LENGTH} characters.`,
          type: "idempotency_key",
        },
      ],
    });
  }
  return key;
};

const otherBody = (): Fault =>
  new Fault("validation_failed", {
    issues: [
      {
        loc: ["headers", "idempotency-key"],
        msg: "This key was used with another body; a new request needs a new key.",
        type: "idempotency_key_reused",
      },
    ],
  });

const newEntry = (id: string, bodyHash: string): IdempotencyEntry => {
  const at = now().getTime();
  return {
    _id: id,
    body_hash: bodyHash,
    lease_id: uuidv7(),
    lease_until: new Date(at + LEASE_MS),
    answer: null,
    expires_at: new Date(at + KEPT_MS),
  };
};

/** Takes the lease, or finds the earlier answer. Only one of many equal requests at once gets the lease. */
const claim = async ({ idempotencyKeys }: Base, entry: IdempotencyEntry): Promise<HttpAnswer | null> => {
  const { _id, ...fresh } = entry;
  const before = await idempotencyKeys.findOneAndUpdate(
    { _id },
    { $setOnInsert: fresh },
    { upsert: true, returnDocument: "before" },
  );
  if (before === null) return null;
  if (before.expires_at <= now()) {
    // Past its day and only waiting to be swept: as good as gone, for whoever replaces it first.
    const replaced = await idempotencyKeys.replaceOne({ _id: entry._id, lease_id: before.lease_id }, entry);
    if (replaced.matchedCount === 1) return null;
    throw new Fault("idempotency_in_flight", { headers: { "retry-after": "1" } });
  }
  if (before.body_hash !== entry.body_hash) throw otherBody();
  if (before.answer !== null) return before.answer;
  const taken = await idempotencyKeys.updateOne(
    { _id: entry._id, lease_id: before.lease_id, lease_until: { $lte: now() } },
    { $set: { lease_id: entry.lease_id, lease_until: entry.lease_until } },
  );
  if (taken.matchedCount === 1) return null;
  throw new Fault("idempotency_in_flight", { headers: { "retry-after": "1" } });
};

const identify = (contract: Contract, tenant: Tenant, key: string): string =>
  sha256(JSON.stringify([tenant.organization_id, tenant.caller.id, `${contract.method} ${contract.path}`, key]));

/**
 * The same `Idempotency-Key` and request of the same caller within 24 hours get the first answer again, marked
 * `idempotency-replayed: true`. A request that failed leaves no answer: the next one with the key works anew.
 */
export const idempotent =
  (contract: Contract, run: Run): Run =>
  async (event) => {
    const key = keyOf(event);
    const { tenant } = event.progress;
    if (key === undefined || tenant === undefined) return run(event);
    const keys = await base();
    const bodyHash = sha256(JSON.stringify([event.rawPath, event.rawQueryString, event.body ?? null]));
    const entry = newEntry(identify(contract, tenant, key), bodyHash);
    const earlier = await claim(keys, entry);
    if (earlier !== null) return { ...earlier, headers: { ...earlier.headers, "idempotency-replayed": "true" } };
    const mine = { _id: entry._id, lease_id: entry.lease_id };
    // Lest a request that was cut off between its writes and its answer writes again.
    event.progress.tenant = repeatable(tenant, sha256(JSON.stringify([entry._id, bodyHash])));
    try {
      const answer = await run(event);
      await keys.idempotencyKeys.updateOne(mine, { $set: { answer } });
      return answer;
    } catch (error) {
      await keys.idempotencyKeys.deleteOne(mine);
      throw error;
    }
  };

import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import { base } from "./base.ts";
import type { Tenant } from "./database.ts";
import { REQUEST_COLLECTION, type RequestMark } from "./documents.ts";
import { inFlight, type KeyedRequest, otherBody } from "./keyed-request.ts";

/*
 * Where keys were kept before: the lease and the answer in the base database, a mark with the documents in the
 * tenant's. This file can go 25 hours after the last stage was deployed with it (docs/decisions/0022).
 */

/** As long as the key itself. */
const KEPT_MS = 24 * 60 * 60_000;

const markId = ({ id, earlier_body_hash }: KeyedRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([id, earlier_body_hash]))
    .digest("base64url");

/** What a request of before wrote, or null if there was none. Raises what `claim` does. */
export const earlierResult = async (tenant: Tenant, request: KeyedRequest): Promise<readonly string[] | null> => {
  const { idempotencyKeys } = await base();
  const [entry, mark] = await Promise.all([
    idempotencyKeys.findOne({ _id: request.id }),
    tenant.collection<RequestMark>(REQUEST_COLLECTION).findOne({ _id: markId(request) }),
  ]);
  if (mark !== null && mark.expires_at > now()) return mark.result.map(({ _id }) => _id);
  if (entry === null || entry.expires_at <= now()) return null;
  if (entry.body_hash !== request.earlier_body_hash) throw otherBody();
  // A mail, which left no mark.
  if (entry.answer !== null) return [];
  if (entry.lease_until > now()) throw inFlight();
  return null;
};

/** So that a function of before, which still runs during a deployment, does not write a second time. */
export const noteForEarlier = async (
  tenant: Tenant,
  request: KeyedRequest,
  ids: readonly string[],
  session: ClientSession,
): Promise<void> => {
  const result = ids.map((_id) => ({ _id }));
  const expires_at = new Date(nowMillis() + KEPT_MS);
  // One that has not expired is there already if such a function was faster: then this is a duplicate key.
  await tenant
    .collection<RequestMark>(REQUEST_COLLECTION)
    .replaceOne(
      { _id: markId(request), expires_at: { $lte: now() } },
      { result, expires_at },
      { session, upsert: true },
    );
};

import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import { base } from "./base.ts";
import type { Tenant } from "./database.ts";
import { REQUEST_COLLECTION, type RequestMark } from "./documents.ts";
import { inFlight, type KeyedRequest, otherBody } from "./keyed-request.ts";

/*
 * Earlier versions kept the lease and the answer in the base database, and a mark with the documents in the tenant's. This file
 * can be removed 25 hours after the last stage was deployed with it (docs/decisions/0022).
 */

/** As long as the key itself. */
const KEPT_MS = 24 * 60 * 60_000;

const markId = ({ id, earlier_body_hash }: KeyedRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([id, earlier_body_hash]))
    .digest("base64url");

/** The ids that a request to an earlier version wrote, or null if there was none. Raises what `takeLease` does. */
export const earlierResult = async (tenant: Tenant, request: KeyedRequest): Promise<readonly string[] | null> => {
  const { idempotencyKeys } = await base();
  const [entry, mark] = await Promise.all([
    idempotencyKeys.findOne({ _id: request.id }),
    tenant.collection<RequestMark>(REQUEST_COLLECTION).findOne({ _id: markId(request) }),
  ]);
  if (mark !== null && mark.expires_at > now()) return mark.result.map(({ _id }) => _id);
  if (entry === null || entry.expires_at <= now()) return null;
  if (entry.body_hash !== request.earlier_body_hash) throw otherBody();
  // A mail has no mark.
  if (entry.answer !== null) return [];
  if (entry.lease_until > now()) throw inFlight();
  return null;
};

/** Prevents a second write by a function of an earlier version that still runs during a deployment. */
export const noteForEarlier = async (
  tenant: Tenant,
  request: KeyedRequest,
  ids: readonly string[],
  session: ClientSession,
): Promise<void> => {
  const result = ids.map((_id) => ({ _id }));
  const expires_at = new Date(nowMillis() + KEPT_MS);
  // If such a function was faster, a mark that has not expired exists. Then this raises a duplicate key error.
  await tenant
    .collection<RequestMark>(REQUEST_COLLECTION)
    .replaceOne(
      { _id: markId(request), expires_at: { $lte: now() } },
      { result, expires_at },
      { session, upsert: true },
    );
};

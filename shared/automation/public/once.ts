import { createHash, createHmac } from "node:crypto";
import { nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { type Once, PUBLIC_REQUEST_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";

/**
 * A request without a caller and with an `Idempotency-Key`. These keys have a store of their own, so that strangers
 * cannot fill that of the organization's users.
 */
interface PublicRequest {
  /** A hash of automation and key. */
  readonly _id: string;
  readonly body_hash: string;
  /** Of the run. */
  readonly ids: readonly string[];
  readonly expires_at: Date;
}

const KEPT_MS = 24 * 60 * 60_000;
/** Of one organization, within 24 hours. */
const MOST_KEYS = 50_000;

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

const refuseFull = async (database: TenantDatabase): Promise<void> => {
  const count = await database.collection(PUBLIC_REQUEST_COLLECTION).estimatedDocumentCount();
  if (count >= MOST_KEYS) throw new Fault("too_many_idempotency_keys", { headers: { "retry-after": "3600" } });
};

/** The one effect of such a request. A body is compared by an HMAC under the key, which itself is not stored. */
export const publicOnce = (
  database: TenantDatabase,
  { automation, key, body }: { readonly automation: string; readonly key: string; readonly body: unknown },
): Once => {
  const requests = database.collection<PublicRequest>(PUBLIC_REQUEST_COLLECTION);
  const _id = createHash("sha256")
    .update(JSON.stringify([automation, key]))
    .digest("base64url");
  const body_hash = createHmac("sha256", key)
    .update(JSON.stringify(body ?? null))
    .digest("base64url");
  return {
    isKeyed: true,
    write: async (prepare, again) => {
      const known = await requests.findOne({ _id });
      if (known !== null && known.body_hash !== body_hash) throw otherBody();
      if (known !== null) return again(known.ids);
      await refuseFull(database);
      const work = await prepare();
      try {
        return await database.transaction(async (session) => {
          const { ids, value } = await work(session);
          const expires_at = new Date(nowMillis() + KEPT_MS);
          await requests.insertOne({ _id, body_hash, ids, expires_at }, { session });
          return value;
        });
      } catch (error) {
        // The same request at the same time.
        if (isDuplicateKey(error)) throw new Fault("idempotency_in_flight", { headers: { "retry-after": "1" } });
        throw error;
      }
    },
    send: () => Promise.reject(new Error("A public run is written, not sent.")),
  };
};

import { createHash, createHmac } from "node:crypto";
import type { Contract } from "#contracts/contract";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type KeyLease, onceUnder, releaseLease, type Tenant, takeLease } from "#shared/tenant/tenant";
import type { HttpAnswer } from "./problem.ts";
import type { HttpEvent } from "./request.ts";

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

const identify = (contract: Contract, tenant: Tenant, key: string): string =>
  sha256(JSON.stringify([tenant.organization_id, tenant.caller.id, `${contract.method} ${contract.path}`, key]));

/** The caller gets the handler's error also if the key cannot be freed. Its lease then expires. */
const free = async (tenant: Tenant, lease: KeyLease): Promise<void> => {
  try {
    await releaseLease(tenant, lease);
  } catch (error) {
    log.warn({ organization: tenant.organization_id, err: error }, "an Idempotency-Key was not freed");
  }
};

/**
 * The same `Idempotency-Key` and request of the same caller takes effect once within 24 hours. For a repetition the
 * handler runs again with the caller's current rights and skips the effect; the reply is marked `idempotency-replayed:
 * true`. A failed request frees its key.
 */
export const idempotent =
  (contract: Contract, run: Run): Run =>
  async (event) => {
    const key = keyOf(event);
    const { tenant } = event.progress;
    if (key === undefined || tenant === undefined) return run(event);
    const asked = JSON.stringify([event.rawPath, event.rawQueryString, event.body ?? null]);
    const lease = await takeLease(tenant, {
      id: identify(contract, tenant, key),
      // An HMAC, because a plain hash of a body with a secret could be guessed. The key itself is not stored.
      body_hash: createHmac("sha256", key).update(asked).digest("base64url"),
      earlier_body_hash: sha256(asked),
    });
    const once = onceUnder(tenant, lease);
    event.progress.tenant = { ...tenant, once };
    try {
      const answer = await run(event);
      if (!once.isUsed()) throw new Error(`${contract.operation} is idempotent by contract and notes no effect.`);
      if (lease.result === null) return answer;
      return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } };
    } catch (error) {
      await free(tenant, lease);
      throw error;
    }
  };

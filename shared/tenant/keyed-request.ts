import { Fault } from "#shared/foundation/faults";

/** A request that can be told from others: by its caller, route and key, and by its body. Both are hashes. */
export interface KeyedRequest {
  readonly id: string;
  readonly body_hash: string;
  /** As functions of before hash it. */
  readonly earlier_body_hash: string;
}

export const otherBody = (): Fault =>
  new Fault("validation_failed", {
    issues: [
      {
        loc: ["headers", "idempotency-key"],
        msg: "This key was used with another body; a new request needs a new key.",
        type: "idempotency_key_reused",
      },
    ],
  });

export const inFlight = (): Fault => new Fault("idempotency_in_flight", { headers: { "retry-after": "1" } });

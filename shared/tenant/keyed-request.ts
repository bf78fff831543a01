import { Fault } from "#shared/foundation/faults";

/** A request with an `Idempotency-Key`: a hash of caller, route and key, and one of its body. */
export interface KeyedRequest {
  readonly id: string;
  readonly body_hash: string;
  /** The hash that earlier versions stored. */
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

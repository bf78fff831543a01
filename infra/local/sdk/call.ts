import type { Principal } from "../iam/principal.ts";

/** One verified request of the AWS SDK. */
export interface SdkCall {
  readonly caller: Principal;
  readonly method: string;
  /** Percent-decoded path segments. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as sent. */
  readonly bytes: Buffer;
  /** The operation of a JSON protocol, from `x-amz-target`; empty for REST. */
  readonly operation: string;
  /** Throws AccessDeniedException unless the caller's policies allow the action on the resource. */
  authorize(action: string, resource: string, context?: ConditionContext): void;
}

/** The values for the policy conditions, by condition key. */
export type ConditionContext = Readonly<Record<string, string | readonly string[]>>;

/** An error of a service, for the SDK. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

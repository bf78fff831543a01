import { type FaultCode, type FaultEntry, faultTable } from "#contracts/fault-table";

/**
 * One issue of a request. `loc` begins with body, query, path or headers. The format is FastAPI's HTTPValidationError.
 */
export interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

export interface FaultOptions {
  /** A sentence for the caller. It must not name other tenants or internals. */
  readonly message?: string;
  /** With `validation_failed` only: all issues. */
  readonly issues?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Logged, never sent. */
  readonly cause?: unknown;
}

/** The only error that handlers raise on purpose. `name` is the code, so that a state machine can match it. */
export class Fault extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly retry: boolean;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: FaultCode, options: FaultOptions = {}) {
    const entry: FaultEntry = faultTable[code];
    super(options.message ?? entry.message, { cause: options.cause });
    this.name = code;
    this.code = code;
    this.status = entry.status;
    this.retry = entry.retry;
    this.issues = options.issues ?? [];
    this.headers = options.headers ?? {};
  }
}

/** Raises `validation_failed` if there is any issue. */
export const refuseIfAny = (issues: readonly Issue[]): void => {
  if (issues.length > 0) throw new Fault("validation_failed", { issues });
};

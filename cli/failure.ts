/** Exit codes. They are part of the interface: README and `tenantry help exit-codes` list them. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  signedOut: 3,
  refused: 4,
  unreachable: 5,
  partly: 6,
  differs: 7,
  interrupted: 130,
} as const;

/** One issue of a 422. */
export interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type?: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

interface Details {
  /** The next step for the reader: a command or a sentence. */
  readonly hint?: string | undefined;
  readonly status?: number;
  /** The platform's fault code. */
  readonly code?: string;
  readonly issues?: readonly Issue[];
  readonly requestId?: string | undefined;
}

/** An expected failure, shown as a sentence. Any other error is a bug. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: number;
  readonly details: Details;

  constructor(kind: keyof typeof exitCodes, message: string, details: Details = {}) {
    super(message);
    this.exitCode = exitCodes[kind];
    this.details = details;
  }
}

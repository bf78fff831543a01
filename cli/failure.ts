/** How the command ends. The numbers are part of the interface: README and `tenantry help exit-codes` name them. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  signedOut: 3,
  refused: 4,
  unreachable: 5,
  partly: 6,
  interrupted: 130,
} as const;

/** One failed check of a 422. */
export interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type?: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

interface Details {
  /** What the reader can do next: a command to type, or a sentence. */
  readonly hint?: string | undefined;
  readonly status?: number;
  /** The fault's code, from the platform. */
  readonly code?: string;
  readonly issues?: readonly Issue[];
  readonly requestId?: string | undefined;
}

/** A failure that is told in a sentence; anything else that is thrown is a fault of ours. */
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

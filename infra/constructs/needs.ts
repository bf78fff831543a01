import { type Contract, requiresToken } from "#contracts/contract";

/**
 * What a function is allowed and given beyond its own log group. Every right is asked for by the need that carries it:
 * a function that does not ask has neither the permission nor the environment variable.
 */
export interface Needs {
  /** Reads the MongoDB secret. Implied by a token: its session and its organization are in the database. */
  readonly database?: true;
  /** Reads the public signing keys. Implied by a token and by `signs`. */
  readonly verifies?: true;
  /** Issues tokens: signs with KMS. */
  readonly signs?: true;
  /** Encrypts under the data key: may ask KMS for new data keys. */
  readonly seals?: true;
  /** Decrypts what was encrypted under the data key. */
  readonly opens?: true;
  /** Sends mail from the one configured address. */
  readonly mails?: true;
  /** Is told whether anyone may register. */
  readonly registration?: true;
  /** In MiB; the processor grows with it, one whole at 1769. */
  readonly memory?: number;
  /** In seconds, below the 30 of an HTTP API. */
  readonly timeout?: number;
  /** Waits for two seconds with each answer: no more environments than the operator says (`forgotPasswordConcurrency`). */
  readonly waits?: true;
}

/** The needs that follow from the contract's access together with those that were asked for. */
export const needsOf = (contract: Contract, asked: Needs = {}): Needs =>
  requiresToken(contract) ? { ...asked, database: true, verifies: true } : asked;

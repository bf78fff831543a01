import { type Contract, requiresToken } from "#contracts/contract";
import type { FileNeeds } from "./files-bucket.ts";

/**
 * The permissions and environment variables of a function besides its own log group. Each need carries both, so that a
 * function without the need has neither.
 */
export interface Needs {
  /** Reads the MongoDB secret. Implied by a token, because session and organization are in the database. */
  readonly database?: true;
  /**
   * Reads the secret of the database user that may also drop and rename. Only for tasks of workflows and for jobs that
   * create and remove databases.
   */
  readonly provisions?: true;
  /** Reads the secret with the platform's own accounts at vendors of mail, messages and payments. */
  readonly usesVendors?: true;
  /** Sends requests to vendors whose address the operator sets, by the client for addresses that tenants choose. */
  readonly callsVendors?: true;
  /** Decides what follows from a missing payment: gets the days that an organization has for it. */
  readonly readsPayments?: true;
  /** Reads the public signing keys. Implied by a token and by `signs`. */
  readonly verifies?: true;
  /** Issues tokens: signs with KMS. */
  readonly signs?: true;
  /** Encrypts under the data key, with permission to generate data keys. */
  readonly seals?: true;
  /** Decrypts with the data key. */
  readonly opens?: true;
  /** Decrypts encrypted fields of records: with the data keys of organizations, and no other secret. */
  readonly readsEncryptedFields?: true;
  /** Queues mails of the platform itself, which it seals. */
  readonly mails?: true;
  /**
   * With `sendsMail`: sends composed mail, with attachments, of which SES reports what becomes. SES checks a further
   * action and the configuration set for it.
   */
  readonly mailsRaw?: true;
  /** Accepts messages of organizations. Gets the settings that say which of them can be sent. */
  readonly acceptsMessages?: true;
  /** Sends mail by SES from the configured address. Only for workers of queues. */
  readonly sendsMail?: true;
  /** Opens the sealed mails of the platform itself. Only for the worker of their queue. */
  readonly opensMails?: true;
  /** Gets the setting that says who may register. */
  readonly registration?: true;
  /** Gets the setting that says where developers may run code on their own machine. */
  readonly beginsLocalExecutions?: true;
  /** Invokes these operators' functions. */
  readonly invokes?: readonly string[];
  /** Invokes the runner, which runs tenants' Python. */
  readonly runsFunctions?: true;
  /**
   * Sends requests to providers that tenants choose. Decrypts the values of `auth_credential` records, and gets what
   * the operator allows besides https and the internet.
   */
  readonly callsProviders?: true;
  /** Gets the address that platform mail comes from. */
  readonly knowsSender?: true;
  /** Asks the DNS about names that tenants choose. */
  readonly asksDns?: true;
  /** Decrypts the values of `auth_credential` records, and sends no requests. */
  readonly readsCredentials?: true;
  /** Decrypts the push tokens of devices, and nothing else. */
  readonly reachesDevices?: true;
  /** Creates, changes, reads and deletes the schedules that are made at run time. */
  readonly schedules?: true;
  /** Deletes such schedules. */
  readonly removesSchedules?: true;
  /** Lists them too. */
  readonly listsSchedules?: true;
  /** Starts executions of these workflows. The function gets the ARN of each state machine. */
  readonly startsWorkflows?: readonly string[];
  /** Describes and stops executions of these workflows. */
  readonly watchesWorkflows?: readonly string[];
  /** Sends messages to these queues. The function gets the URL of each. */
  readonly sends?: readonly string[];
  /** Counts the messages of these queues and of their dead letters, and sends dead letters back. */
  readonly redrives?: readonly string[];
  /** Gets the messages of this queue. */
  readonly receives?: string;
  /** Reads, writes, deletes or lists files (S3). The function gets the name of the bucket. */
  readonly files?: FileNeeds;
  /** In MiB. The processor share grows with it; 1769 is one whole processor. */
  readonly memory?: number;
  /** In seconds. Below the 30 of an HTTP API for a route, at most 900 for an operators' function. */
  readonly timeout?: number;
  /** Answers running code, which waits for it: the operator can reserve environments (`contextConcurrency`). */
  readonly answersCode?: true;
}

/** The needs that the contract's access implies, and the additional ones. */
export const needsOf = (contract: Contract, asked: Needs = {}): Needs =>
  requiresToken(contract) ? { ...asked, database: true, verifies: true } : asked;

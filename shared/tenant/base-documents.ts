/** Documents of the base database. Moments are BSON dates. */
import type { MigrationState } from "./migration-documents.ts";
import type { SandboxEntry } from "./sandbox-documents.ts";

export type OrganizationStatus = "provisioning" | "active" | "suspended" | "deleting";

/** The registry entry of an organization: where its database is. The id is the name of the database. */
export interface OrganizationEntry extends MigrationState {
  _id: string;
  name: string;
  slug: string;
  /** A key of the MongoDB secret. */
  cluster: string;
  status: OrganizationStatus;
  is_sandbox: boolean;
  parent_organization_id: string | null;
  created_date: Date;
  /**
   * Identifies the copy of the data: another one since the last refresh, restore or move. Absent if there was none.
   * `OrganizationState` has the same.
   */
  generation?: string;
  sandbox?: SandboxEntry;
  /** Of a sandbox: goes up with each change of its users' lists, so that none runs beside a removal. */
  list_changes?: number;
  /** The number of its sandboxes. Absent: none. */
  sandboxes?: number;
}

export interface OrganizationListEntry {
  id: string;
  name: string;
  description?: string;
}

/** Encrypted by an envelope of KMS; all base64. */
export interface StoredSecret {
  key: string;
  iv: string;
  tag: string;
  text: string;
}

export interface TotpFactor {
  secret: StoredSecret;
  last_step: number;
  recovery_codes: string[];
  /** The factor that the account had before, and has again when the app is turned off. */
  before: "off" | "email";
}

/** A person. `password_hash` is a PHC string; it never leaves shared/identity. */
export interface Identity {
  _id: string;
  email: string;
  /** Somebody has shown that they read this mailbox. Never set back to false. Absent means no. */
  email_confirmed?: boolean;
  name: string;
  first_name: string | null;
  last_name: string | null;
  password_hash: string;
  is_active: boolean;
  is_superuser: boolean;
  two_factor: "off" | "email" | "totp";
  /**
   * With an authenticator app: its secret, the time step of the last code that was used, hashes of unused recovery
   * codes.
   */
  totp?: TotpFactor;
  /** A secret of an enrolment that no code has confirmed yet. */
  totp_enrolment?: { secret: StoredSecret; expires_at: Date };
  /** When a second factor was last asked for. */
  second_factor_asked_at?: Date;
  password_reset_asked_at?: Date;
  /** When the last invitation was mailed. */
  invited_at?: Date;
  email_confirmation_asked_at?: Date;
  /** When the last mail about wrong codes was sent. */
  wrong_codes_warned_at?: Date;
  organizations: OrganizationListEntry[];
  last_organization_id: string | null;
  /** Only while a registration is unfinished: the organization that is being set up, and since when. */
  registering?: { organization_id: string; claimed_at: Date };
  created_date: Date;
  modified_date: Date;
}

/**
 * One signed-in device. The session has ended when the document is gone or `expires_at` has passed. Each organization
 * in which it may act holds a `SessionReplica` of it.
 */
export interface Session {
  _id: string;
  user_id: string;
  /** The app that acts for the person. Absent if they signed in themselves. */
  client_id?: string;
  /** The responsible administrator of a client that acts alone. Absent if a person has authorized the app. */
  responsible?: string;
  /** For a session of the sign-in pages: the SHA-256 of its cookie. No token is issued for it. */
  browser_hash?: string;
  /** The organization that the next access token is for. */
  organization_id: string;
  /** Every organization in which it has been published. */
  organizations: string[];
  is_superuser: boolean;
  /**
   * Whether the person has given a second factor. An app's session copies it from the person's. Also true for a client
   * that acts alone, because nobody can be asked.
   */
  second_factor?: boolean;
  scope: string;
  /** Where it began. */
  address: string;
  user_agent: string;
  created_date: Date;
  expires_at: Date;
}

/** `_id` is the SHA-256 of the token. The token itself is never stored. */
export interface RefreshToken {
  _id: string;
  session_id: string;
  user_id: string;
  /** The only app that may use it. */
  client_id?: string;
  /** When it was rotated, and the salt from which the successor is computed together with the token. */
  rotation?: { salt: string; at: Date };
  created_date: Date;
  expires_at: Date;
}

/** The number of organizations of a cluster, and whether it is open for new ones. */
export interface ClusterEntry {
  _id: string;
  open: boolean;
  organizations: number;
}

/** Sign-in attempts of one key (email and network, or email alone). `_id` is a hash of the key. */
export interface LoginAttempts {
  _id: string;
  /** Attempts that failed or are being checked. */
  taken: number;
  /** Attempts that failed. */
  failures: number;
  expires_at: Date;
}

/** An address that an account has signed in from. `_id` is a hash of email and address. */
export interface KnownAddress {
  _id: string;
  expires_at: Date;
}

/**
 * Idempotency keys of an earlier version. Only read, until the last has expired. New ones are in the tenants'
 * databases.
 */
export interface IdempotencyEntry {
  _id: string;
  body_hash: string;
  /** While in flight: the holder of the lease, and its end. */
  lease_id: string;
  lease_until: Date;
  answer: { statusCode: number; headers: Record<string, string>; body: string } | null;
  expires_at: Date;
}

/** The requests of one address for public automations in one minute. `_id` is a hash. */
export interface PublicRuns {
  _id: string;
  count: number;
  expires_at: Date;
}

/** A domain that an organization wants to send from. The id is `<organization> <domain>`. */
export interface SenderDomainEntry {
  _id: string;
  organization_id: string;
  /** In ASCII and lower case. */
  domain: string;
  /** For the DNS, where everybody may read it. */
  token: string;
  /** Why the last check has failed. */
  problem?: string;
  created_date: Date;
  /** Only while it is verified. */
  verified_date?: Date;
  checked_date?: Date;
}

/** The one organization that has proven a domain, which is the id. */
export interface DomainHolder {
  _id: string;
  organization_id: string;
  since: Date;
}

/**
 * Files that may have to be deleted: one whose record is not yet written (`_id` is its key), or all of an organization
 * whose records are gone (`_id` is the organization).
 */
export interface FileSweep {
  _id: string;
  organization_id: string;
  /** The id of the record of one file. Absent: all files of the organization that have no record. */
  document_id?: string;
  at: Date;
}

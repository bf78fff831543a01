/** Documents of the base database. Moments are BSON dates. */

export type OrganizationStatus = "provisioning" | "active" | "suspended";

/** The registry entry of an organization: where its database is. The database's name is the id. */
export interface OrganizationEntry {
  _id: string;
  name: string;
  slug: string;
  /** A key of the MongoDB secret. */
  cluster: string;
  status: OrganizationStatus;
  is_sandbox: boolean;
  parent_organization_id: string | null;
  created_date: Date;
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
  /** What the account had before, and has again without it. */
  before: "off" | "email";
}

/** A person. `password_hash` is a PHC string; it never leaves shared/identity. */
export interface Identity {
  _id: string;
  email: string;
  /** Somebody has shown that they read this mailbox. Never taken back; absent is no. */
  email_confirmed?: boolean;
  name: string;
  first_name: string | null;
  last_name: string | null;
  password_hash: string;
  is_active: boolean;
  is_superuser: boolean;
  two_factor: "off" | "email" | "totp";
  /** With an authenticator app: its secret, the time step of the last code that was used, hashes of unused recovery codes. */
  totp?: TotpFactor;
  /** A secret that no code has been shown for yet. */
  totp_enrolment?: { secret: StoredSecret; expires_at: Date };
  /** When a second factor was asked for last. */
  second_factor_asked_at?: Date;
  password_reset_asked_at?: Date;
  /** When they were mailed a way to their first password last. */
  invited_at?: Date;
  email_confirmation_asked_at?: Date;
  /** When they were last told of wrong codes that followed the right password. */
  wrong_codes_warned_at?: Date;
  organizations: OrganizationListEntry[];
  last_organization_id: string | null;
  /** Only while a registration is unfinished: the organization that it is setting up, and since when. */
  registering?: { organization_id: string; claimed_at: Date };
  created_date: Date;
  modified_date: Date;
}

/**
 * One signed-in device. It ends when the document is gone or `expires_at` has passed; each organization that it may act in
 * holds a `SessionReplica` of it, which ends with it.
 */
export interface Session {
  _id: string;
  user_id: string;
  /** The app that acts in it on the person's behalf; absent if they signed in themselves. */
  client_id?: string;
  /** Of a client that acts alone: the administrator who answers for it. Absent where a person has let the app in. */
  responsible?: string;
  /** Of a browser that is signed in for the sign-in pages alone: the SHA-256 of its cookie. No token is issued for it. */
  browser_hash?: string;
  /** The organization that the next access token is for. */
  organization_id: string;
  /** Every organization in which it has been published. */
  organizations: string[];
  is_superuser: boolean;
  /**
   * Whether the person has given a second factor; an app's session has it from theirs. Also true where nobody could be asked:
   * for a client that acts alone, as the user whom an administrator has chosen.
   */
  second_factor?: boolean;
  scope: string;
  /** Where it began. */
  address: string;
  user_agent: string;
  created_date: Date;
  expires_at: Date;
}

/** `_id` is the SHA-256 of the token; the token itself is never stored. */
export interface RefreshToken {
  _id: string;
  session_id: string;
  user_id: string;
  /** The app that alone may use it. */
  client_id?: string;
  /** Since when it has a successor, and what that follows from together with the token itself. */
  rotation?: { salt: string; at: Date };
  created_date: Date;
  expires_at: Date;
}

/** How many organizations a cluster holds, and whether it takes new ones. */
export interface ClusterEntry {
  _id: string;
  open: boolean;
  organizations: number;
}

/** Attempts to sign in of one key (email and address, or email alone). `_id` is a hash: it names nobody. */
export interface LoginAttempts {
  _id: string;
  /** Attempts that failed or are being checked right now. */
  taken: number;
  /** Those of them that failed. */
  failures: number;
  expires_at: Date;
}

/** An address that an account has signed in from. `_id` is a hash of email and address. */
export interface KnownAddress {
  _id: string;
  expires_at: Date;
}

/** Where keys were kept before they moved to the tenants' databases: read until the last has expired, and not written. */
export interface IdempotencyEntry {
  _id: string;
  body_hash: string;
  /** While in flight: who holds the lease and until when. */
  lease_id: string;
  lease_until: Date;
  answer: { statusCode: number; headers: Record<string, string>; body: string } | null;
  expires_at: Date;
}

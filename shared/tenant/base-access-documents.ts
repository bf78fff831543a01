/** Documents of the base database about sign-ins and OAuth. Moments are BSON dates. */

/**
 * A sign-in whose password was right and that waits for its second factor. `_id` is the SHA-256 of the secret id that
 * was answered to the sign-in. With that id the token is issued once another device has approved.
 */
export interface LoginRequest {
  _id: string;
  user_id: string;
  status: "pending" | "approved" | "rejected" | "completed";
  /** A hash of the password's hash and the kind of factor. A change of either ends the request. */
  credentials: string;
  /** Two digits that the approving device must repeat. */
  number: string;
  /** PHC string of the mailed code. Null if none was mailed. */
  code_hash: string | null;
  /** Codes and numbers that were tried. */
  tries: number;
  /** Whether the account had signed in from the network before. */
  familiar?: boolean;
  /** Set when a newer request displaced it: until then it counts for its network's limit. */
  displaced_until?: Date;
  address: string;
  user_agent: string;
  created_date: Date;
  expires_at: Date;
}

/** The slots of one kind of work, which limit how much of it runs at a time. */
export interface Slots {
  _id: string;
  /** `network` is a hash. A slot that is not given back is free at `until`. */
  held: { id: string; network: string; until: Date }[];
}

/** An event of a person's sign-ins, sessions or credentials. Never changed, and deleted when it expires. */
export interface AuditEntry {
  _id: string;
  type: AuditType;
  at: Date;
  /** Null if there is no account with the email. */
  user_id: string | null;
  /** Organizations whose admins may read it. */
  organizations: string[];
  /**
   * Where it was done: the organization whose admins may also read address and user agent. Absent if it is the only one
   * in `organizations`, and if it was done in none, such as a wrong password.
   */
  acted_in?: string;
  session_id: string | null;
  /** The app that was authorized or refused, if any. */
  client_id: string | null;
  address: string;
  user_agent: string;
  expires_at: Date;
}

export type AuditType =
  | "signed_in"
  | "sign_in_refused"
  | "second_factor_asked"
  | "second_factor_refused"
  | "sign_in_approved"
  | "sign_in_rejected"
  | "signed_out"
  | "session_ended"
  | "password_changed"
  | "password_reset_asked"
  | "password_reset"
  | "email_confirmed"
  | "totp_enabled"
  | "totp_disabled"
  | "client_created"
  | "client_adopted"
  | "client_deleted"
  | "grant_issued"
  | "grant_revoked";

/** An app that may ask people for access. `_id` is its client_id. */
export interface OAuthClient {
  _id: string;
  /** Null for the platform's own. */
  organization_id: string | null;
  name: string;
  type: "public" | "confidential";
  /** SHA-256 of the secret; null for a public client. */
  secret_hash: string | null;
  redirect_uris: string[];
  scopes: ("all" | "read" | "write" | "admin" | "sensitive:read")[];
  /** The user as whom it acts alone. */
  run_as: string | null;
  created_by: string | null;
  /** The responsible administrator, who adopted it last. Absent as long as that is `created_by`. */
  adopted_by?: string;
  created_date: Date;
}

/** `_id` is the SHA-256 of the code. Kept for a day, so that a second use is detected. */
export interface AuthorizationCode {
  _id: string;
  client_id: string;
  user_id: string;
  organization_id: string;
  redirect_uri: string;
  /** Whether the request named it. Then the exchange must name it too. */
  redirect_uri_given: boolean;
  scope: string;
  /** Whether the session that authorized the app had given a second factor. */
  second_factor: boolean;
  code_challenge: string | null;
  /** The session that was begun with it, once it was used. */
  session_id: string | null;
  created_date: Date;
  expires_at: Date;
}

/** A token that was mailed and works once. `_id` is its SHA-256. */
export interface MailedToken {
  _id: string;
  purpose: "password_reset" | "invitation" | "email_confirmation";
  user_id: string;
  /** The mailbox that it was mailed to. It proves nothing about another one. */
  email: string;
  created_date: Date;
  expires_at: Date;
}

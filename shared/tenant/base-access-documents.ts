/** Documents of the base database about how people and apps get in. Moments are BSON dates. */

/**
 * A sign-in whose password was right and that waits for its second factor. `_id` is the SHA-256 of the id that the person
 * signing in was given: who knows it is handed the token once another device has approved.
 */
export interface LoginRequest {
  _id: string;
  user_id: string;
  status: "pending" | "approved" | "rejected" | "completed";
  /** A hash of the password's hash and the kind of factor: another password or factor ends the request. */
  credentials: string;
  /** Two digits that the approving device must repeat. */
  number: string;
  /** PHC string of the mailed code; null if none was mailed. */
  code_hash: string | null;
  /** Codes and numbers that were tried. */
  tries: number;
  /** Whether the account had signed in from the network before. */
  familiar?: boolean;
  /** Ended for another sign-in's sake: until when it counts for its network all the same. */
  displaced_until?: Date;
  address: string;
  user_agent: string;
  created_date: Date;
  expires_at: Date;
}

/** Work of one kind that is being done right now, of which there may be so much at a time. */
export interface Slots {
  _id: string;
  /** `network` is a hash. One that is not given back is free at `until`. */
  held: { id: string; network: string; until: Date }[];
}

/** What happened to somebody's access: who, when, from where. Never changed, and gone after its time. */
export interface AuditEntry {
  _id: string;
  type: AuditType;
  at: Date;
  /** Null if nobody has the email that was tried. */
  user_id: string | null;
  /** Organizations whose admins may read it. */
  organizations: string[];
  /**
   * Where it was done: the organization whose admins may also read from where. Absent where that is the only one that it
   * concerns, and where it was done in none of them: a wrong password, say, opens no organization.
   */
  acted_in?: string;
  session_id: string | null;
  /** The app that was let in or refused, if one was. */
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
  scopes: ("all" | "read" | "write" | "admin")[];
  /** The user that it is when it acts alone. */
  run_as: string | null;
  created_by: string | null;
  /** The administrator who answers for it: who adopted it last. Absent as long as that is who registered it. */
  adopted_by?: string;
  created_date: Date;
}

/** `_id` is the SHA-256 of the code. Kept for a day, so that a second use is noticed. */
export interface AuthorizationCode {
  _id: string;
  client_id: string;
  user_id: string;
  organization_id: string;
  redirect_uri: string;
  /** Whether the request named it, so that the exchange has to. */
  redirect_uri_given: boolean;
  scope: string;
  /** Whether the person had given a second factor in the session that they let the app in from. */
  second_factor: boolean;
  code_challenge: string | null;
  /** What came of it, once it was used. */
  session_id: string | null;
  created_date: Date;
  expires_at: Date;
}

/** What whoever reads a mailbox may do, once. `_id` is the SHA-256 of the token that was mailed. */
export interface MailedToken {
  _id: string;
  purpose: "password_reset" | "invitation" | "email_confirmation";
  user_id: string;
  /** Where it was mailed to: it proves nothing of another mailbox. */
  email: string;
  created_date: Date;
  expires_at: Date;
}

/** Documents of the mails of the platform itself, in the base database. */
import type { platformMailKinds, platformMailStatuses } from "#contracts/platform-messages";
import type { StoredSecret } from "./base-documents.ts";

/** A mail of the platform: to whom, and what became of it. It has no contents. */
export interface PlatformMail {
  /** A UUIDv7. */
  _id: string;
  to: string;
  kind: (typeof platformMailKinds)[number];
  /** The `_id` of the mailed token in it. */
  token?: string;
  status: (typeof platformMailStatuses)[number];
  created: Date;
  /** It is not sent later, because it would be of no use. */
  valid_until: Date;
  /** Calls of SES. */
  attempts: number;
  /** While it is being sent: by whom, and when they will certainly have ended. */
  lease?: { id: string; until: Date };
  /** Of SES. */
  vendor_message_id?: string;
  events: { type: string; at: Date; detail?: string }[];
  /** When MongoDB deletes it. */
  expires_at: Date;
}

/** The sealed contents of a mail. Deleted once it is sent. */
export interface PlatformMailBody {
  /** Of the mail. */
  _id: string;
  sealed: StoredSecret;
  /** When MongoDB deletes it, whatever has become of the mail. */
  expires_at: Date;
}

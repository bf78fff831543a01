/** What a vendor has done with a message, as far as anybody can tell. */
export type Answer =
  | {
      readonly outcome: "accepted";
      readonly vendor_message_id?: string;
      readonly status?: "sent" | "delivered";
      /** Recipients that the vendor has refused while it took the message for the others. */
      readonly rejected?: readonly { readonly email: string; readonly reason: string }[];
    }
  /** Final. */
  | { readonly outcome: "refused"; readonly reason: string }
  /** The vendor has certainly not taken it. `after_s`: as the vendor asks. */
  | { readonly outcome: "retry"; readonly reason: string; readonly after_s?: number }
  /** Nobody can tell whether the vendor has taken it. */
  | { readonly outcome: "unclear"; readonly reason: string }
  /** The receiver does not exist any more. */
  | { readonly outcome: "gone"; readonly reason: string };

export interface VendorCall {
  /**
   * The same for every attempt, and another one after a person has sent the message again: the vendor's idempotency key
   * where it has one.
   */
  readonly id: string;
  /** Milliseconds. */
  readonly within: number;
}

/** An adapter for one vendor, with the account that it uses. It raises nothing but errors of our own. */
export interface Vendor<M> {
  readonly name: string;
  /** Whether the vendor takes a message with the same id once. */
  readonly deduplicates: boolean;
  send(message: M, call: VendorCall): Promise<Answer>;
  /** Asks the vendor for a message that may have been sent. */
  lookup?(id: string, vendor_message_id?: string): Promise<Answer | "unknown">;
}

/** What an adapter calls its vendor with. */
export interface Account {
  /** As its schema in shared/contracts/vendor-credentials.ts gives it. */
  readonly value: unknown;
  /** An origin, if it is not the vendor's own. */
  readonly base_url?: string | undefined;
}

/** A file that goes with an email. */
export interface VendorAttachment {
  readonly filename: string;
  readonly type: string;
  readonly content: Buffer;
  readonly disposition: "attachment" | "inline";
  readonly content_id?: string | undefined;
}

/** An email as its adapter gets it. */
export interface OutgoingEmail {
  /** Of the record. The vendor's events name it. */
  readonly id: string;
  readonly organization_id: string;
  readonly from: { readonly email: string; readonly name?: string | undefined };
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly reply_to?: string | undefined;
  readonly subject: string;
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  /** The header Message-ID, without its brackets. */
  readonly message_id?: string | undefined;
  readonly in_reply_to?: string | undefined;
  readonly references: readonly string[];
  /** Those of the link to unsubscribe. */
  readonly headers: Readonly<Record<string, string>>;
  readonly attachments: readonly VendorAttachment[];
  /** Absent: as the vendor's account is set. */
  readonly tracking?: { readonly opens?: boolean; readonly clicks?: boolean } | undefined;
}

export interface OutgoingSms {
  /** In E.164. */
  readonly to: string;
  readonly text: string;
}

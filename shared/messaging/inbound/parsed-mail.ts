/** A received mail, before anything of it is stored. */
export interface ParsedMail {
  readonly from: Mailbox | undefined;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly reply_to: Mailbox | undefined;
  readonly subject: string;
  readonly html: string | undefined;
  readonly text: string | undefined;
  /** These three without their angle brackets. */
  readonly message_id: string | undefined;
  readonly in_reply_to: string | undefined;
  readonly references: readonly string[];
  /** What the sender says. */
  readonly date: Date | undefined;
  /** Name in lower case → values, in their order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly attachments: readonly MailFile[];
  /** The HTML or the text was longer than what is stored. */
  readonly isCut: boolean;
  /** Why its content was not parsed. */
  readonly refused?: string;
}

export interface Mailbox {
  readonly email: string;
  readonly name: string;
}

export interface MailFile {
  readonly filename: string;
  /** As the sender says. */
  readonly type: string;
  readonly disposition: "attachment" | "inline";
  readonly content_id: string | undefined;
  readonly content: Uint8Array;
}

/** What the vendor says about a mail, besides its content. */
export interface Delivery {
  /** SMTP's MAIL FROM; empty for bounces and other mails that nobody may answer. */
  readonly envelope_from: string | undefined;
  /** SMTP's RCPT TO: the addresses of ours. */
  readonly envelope_to: readonly string[];
  readonly authentication: Readonly<Record<string, unknown>>;
}

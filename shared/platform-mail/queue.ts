import { createHash } from "node:crypto";
import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { platformMailMessage } from "#contracts/platform-messages";
import { nowMillis } from "#shared/foundation/clock";
import type { SealedSecret } from "#shared/foundation/secrets/secrets";
import { sealSecret } from "#shared/foundation/secrets/secrets";
import { addToBaseOutbox, base, ensureBaseIndexes, messageFor, type PlatformMail } from "#shared/tenant/tenant";

export interface MailMessage {
  /** An email address. */
  readonly to: string;
  /** One line, without secrets, because locked screens show it. */
  readonly subject: string;
  readonly text: string;
}

/** A mail of the platform itself. */
export interface NewPlatformMail extends MailMessage {
  readonly kind: PlatformMail["kind"];
  /** The hash of the mailed token in it, which is deleted if it is certain that nobody gets the mail. */
  readonly token?: string;
  /** For the fairness of the queue: who causes many of them. By default the recipient. */
  readonly group?: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How long it is worth sending: not longer than the code or the link works. */
const USEFUL_MS: Readonly<Record<PlatformMail["kind"], number>> = {
  sign_in_code: 10 * MINUTE_MS,
  password_reset: 30 * MINUTE_MS,
  email_confirmation: DAY_MS,
  invitation: DAY_MS,
  notice: DAY_MS,
  owners_notice: DAY_MS,
};

const RECORD_KEPT_MS = 30 * DAY_MS;

/** The context of the encryption. The role of the worker may decrypt this purpose only. */
export const purposeOf = (mail: string) => ({ purpose: "platform-mail", mail });

/** The contents of a mail, as they are sealed. */
export type Contents = Pick<MailMessage, "subject" | "text">;

/** A mail whose contents only the worker can read. */
export interface SealedMail extends Pick<NewPlatformMail, "to" | "kind" | "token" | "group"> {
  readonly id: string;
  readonly sealed: SealedSecret;
}

/** Called before the transaction that queues it, because it calls KMS. Raises `dependency_unavailable`. */
export const sealMail = async ({ subject, text, ...mail }: NewPlatformMail): Promise<SealedMail> => {
  const id = uuidv7();
  const contents: Contents = { subject, text };
  const sealed = await sealSecret(Buffer.from(JSON.stringify(contents)), purposeOf(id));
  return { ...mail, id, sealed };
};

/** Not the address itself, which SQS would store in clear. */
const groupOf = ({ to, group }: SealedMail): string => group ?? createHash("sha256").update(to).digest("base64url");

/**
 * Queues mails in a transaction of the base database: they are sent after its commit, and never if it is rolled back.
 */
export const queueSealedMails = async (mails: readonly SealedMail[], session: ClientSession): Promise<void> => {
  if (mails.length === 0) return;
  const { platformMails, platformMailBodies } = await base();
  const at = nowMillis();
  const created = new Date(at);
  const untilOf = (kind: PlatformMail["kind"]): Date => new Date(at + USEFUL_MS[kind]);
  const records = mails.map(
    ({ id, to, kind, token }): PlatformMail => ({
      _id: id,
      to,
      kind,
      ...(token !== undefined && { token }),
      status: "queued",
      created,
      valid_until: untilOf(kind),
      attempts: 0,
      events: [{ type: "queued", at: created }],
      expires_at: new Date(at + RECORD_KEPT_MS),
    }),
  );
  const bodies = mails.map(({ id: _id, kind, sealed }) => ({ _id, sealed: { ...sealed }, expires_at: untilOf(kind) }));
  await platformMails.insertMany(records, { session });
  await platformMailBodies.insertMany(bodies, { session });
  const messages = mails.map((mail) => messageFor(platformMailMessage, { mail: mail.id }, groupOf(mail)));
  await addToBaseOutbox(session, messages);
};

/**
 * Queues mails of the platform itself: codes, links and notices. They are exempt from the suppression of organizations
 * and from the capture of sandboxes. Resolves when they are stored; they are sent within seconds, or later while SES
 * does not accept them. Raises `dependency_unavailable`.
 */
export const queuePlatformMails = async (mails: readonly NewPlatformMail[]): Promise<void> => {
  if (mails.length === 0) return;
  await ensureBaseIndexes();
  const sealed = await Promise.all(mails.map(sealMail));
  const { transaction } = await base();
  await transaction((session) => queueSealedMails(sealed, session));
};

export const queuePlatformMail = (mail: NewPlatformMail): Promise<void> => queuePlatformMails([mail]);

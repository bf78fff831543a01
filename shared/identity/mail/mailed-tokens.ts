import type { ClientSession } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { opaqueToken } from "#shared/foundation/tokens/tokens";
import { type MailMessage, queueSealedMails, type SealedMail, sealMail } from "#shared/platform-mail/platform-mail";
import { type Base, base, type Identity, type MailedToken } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";

const MINUTE_MS = 60_000;

const PURPOSES = {
  password_reset: { prefix: "tpr", lifetime: 30 * MINUTE_MS },
  invitation: { prefix: "tpi", lifetime: 3 * 24 * 60 * MINUTE_MS },
  email_confirmation: { prefix: "tec", lifetime: 3 * 24 * 60 * MINUTE_MS },
} as const satisfies Record<MailedToken["purpose"], { readonly prefix: string; readonly lifetime: number }>;

/** Of one purpose for one person. */
const MAX_LIVE = 3;

/** A token that nobody has yet, and the sealed mail with it. */
export interface PreparedToken {
  readonly purpose: MailedToken["purpose"];
  readonly hash: string;
  readonly mail: SealedMail;
}

/** Called before the transaction that stores it, because it calls KMS. Raises `dependency_unavailable`. */
export const prepareMailedToken = async (
  purpose: MailedToken["purpose"],
  mailOf: (token: string) => MailMessage,
): Promise<PreparedToken> => {
  const token = opaqueToken(PURPOSES[purpose].prefix);
  const hash = hashOf(token);
  return { purpose, hash, mail: await sealMail({ ...mailOf(token), kind: purpose, token: hash }) };
};

/**
 * Stores a token for the identity and queues its mail, or answers when the next one is possible while three are valid.
 * Must run in a transaction that writes the identity, so that concurrent requests are counted one after the other.
 */
export const mailToken = async (
  { _id: user_id, email }: Identity,
  { purpose, hash, mail }: PreparedToken,
  { mailedTokens }: Base,
  session: ClientSession,
): Promise<"mailed" | { readonly freeAt: Date }> => {
  const created_date = now();
  const live = await mailedTokens.find({ user_id, purpose, expires_at: { $gt: created_date } }, { session }).toArray();
  if (live.length >= MAX_LIVE) {
    return { freeAt: new Date(Math.min(...live.map(({ expires_at }) => expires_at.getTime()))) };
  }
  const expires_at = new Date(created_date.getTime() + PURPOSES[purpose].lifetime);
  await mailedTokens.insertOne({ _id: hash, purpose, user_id, email, created_date, expires_at }, { session });
  await queueSealedMails([mail], session);
  return "mailed";
};

/** Raises `too_many_attempts` if no token was mailed. */
export const demandMailed = (made: Awaited<ReturnType<typeof mailToken>>): void => {
  if (made === "mailed") return;
  const seconds = Math.max(Math.ceil((made.freeAt.getTime() - nowMillis()) / 1000), 1);
  const after = made.freeAt.toISOString();
  throw new Fault("too_many_attempts", {
    message: `Three mails with a link that still works have been sent. Use one of them; another can be sent after ${after}.`,
    headers: { "retry-after": String(seconds) },
  });
};

/** A valid token and its identity. Null for any other. */
export const findMailedToken = async (
  token: string,
  ...purposes: readonly MailedToken["purpose"][]
): Promise<{ mailed: MailedToken; identity: Identity } | null> => {
  const { users, mailedTokens } = await base();
  const mailed = await mailedTokens.findOne({
    _id: hashOf(token),
    purpose: { $in: purposes },
    expires_at: { $gt: now() },
  });
  if (mailed === null) return null;
  const identity = await users.findOne({ _id: mailed.user_id, email: mailed.email, is_active: true });
  return identity === null ? null : { mailed, identity };
};

/** Uses a token up. Of many concurrent uses only one is answered true. */
export const useMailedToken = async (
  { _id }: MailedToken,
  { mailedTokens }: Base,
  session: ClientSession,
): Promise<boolean> => (await mailedTokens.deleteOne({ _id }, { session })).deletedCount === 1;

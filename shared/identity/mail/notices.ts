import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { queuePlatformMail } from "#shared/platform-mail/platform-mail";
import { base, type Identity } from "#shared/tenant/tenant";
import type { Device } from "../sessions/device.ts";
import { type Notice, noticeMail } from "./notice-mails.ts";

const HOUR_MS = 60 * 60_000;

/** More wrong codes than people mistype. */
const SUSPICIOUS_CODES = 5;

/**
 * Mails a person a notice of a change of their credentials (OWASP ASVS 5.0, 6.3.7). Called after the commit. It never
 * raises, because the change is valid without the mail.
 */
export const notify = async (
  { _id, email }: Pick<Identity, "_id" | "email">,
  notice: Notice,
  device: Device,
): Promise<void> => {
  try {
    await queuePlatformMail({ ...noticeMail(email, notice, { at: now(), device }), kind: "notice" });
  } catch (error) {
    const err = error instanceof Fault ? (error.cause ?? error) : error;
    log.error({ err, user: _id, notice }, "a person could not be told how their sign-in has changed");
  }
};

/**
 * Warns after many refused codes, because whoever enters codes knows the password (6.3.5). At most once a day, so that
 * nobody can fill a mailbox. There is no such mail for wrong passwords, because every stranger can enter those.
 */
export const warnOfWrongCodes = async (identity: Identity, device: Device): Promise<void> => {
  const { audit, users } = await base();
  const { _id } = identity;
  const at = now();
  const lately = new Date(at.getTime() - HOUR_MS);
  const refused = { user_id: _id, type: "second_factor_refused" as const, at: { $gt: lately } };
  if ((await audit.countDocuments(refused, { limit: SUSPICIOUS_CODES })) < SUSPICIOUS_CODES) return;
  const yesterday = new Date(at.getTime() - 24 * HOUR_MS);
  const due = { _id, wrong_codes_warned_at: { $not: { $gt: yesterday } } };
  const claimed = await users.updateOne(due, { $set: { wrong_codes_warned_at: at } });
  if (claimed.matchedCount === 1) await notify(identity, "wrong_codes", device);
};

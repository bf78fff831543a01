import type { ClientSession, Document, Filter } from "mongodb";
import { type Base, base, type Caller, type Identity } from "#shared/tenant/tenant";
import { audit, organizationsOf } from "../audit.ts";
import type { Notice } from "../mail/notice-mails.ts";
import { notify } from "../mail/notices.ts";
import type { Device } from "../sessions/device.ts";
import { revokeSessions } from "../sessions/session-replicas.ts";
import { removeSessions } from "../sessions/sessions.ts";
import { unchanged } from "../sign-in/complete-sign-in.ts";

export interface CredentialChange {
  readonly identity: Identity;
  /** The type of the audit entry, and of the mail to the person unless `notice` is given. */
  readonly type: Extract<Notice, "password_changed" | "password_reset" | "totp_enabled" | "totp_disabled">;
  readonly notice?: Notice;
  readonly device: Device;
  /** The session that makes the change, which goes on. Null ends all sessions. */
  readonly keep: Pick<Caller, "session_id" | "organization_id"> | null;
  /** A condition on the identity, besides `unchanged`. */
  readonly where?: Filter<Identity>;
  readonly update: Document;
  /** Uses up the token that the change needs; raises if it was used already. */
  readonly alongside?: (collections: Base, transaction: ClientSession) => Promise<void>;
}

/**
 * Changes a person's credentials. In the same transaction it ends their other sessions, those of apps too, and deletes
 * login requests, authorization codes and mailed tokens. Then the person is told by mail. False if the identity has
 * changed since it was read.
 */
export const changeCredentials = async (change: CredentialChange): Promise<boolean> => {
  const { identity, type, notice = type, device, keep, where = {}, update, alongside } = change;
  const user_id = identity._id;
  const collections = await base();
  const ended = await collections.transaction(async (transaction) => {
    const options = { session: transaction };
    const changed = await collections.users.updateOne({ ...unchanged(identity), ...where }, update, options);
    if (changed.matchedCount !== 1) return null;
    await alongside?.(collections, transaction);
    await collections.authorizationCodes.deleteMany({ user_id }, options);
    await collections.loginRequests.deleteMany({ user_id }, options);
    await collections.mailedTokens.deleteMany({ user_id, purpose: { $in: ["password_reset", "invitation"] } }, options);
    const organizations = organizationsOf(identity);
    const done = keep && { session_id: keep.session_id, acted_in: keep.organization_id };
    await audit({ type, user_id, organizations, ...done, device }, transaction);
    return removeSessions(collections, { user_id, ...(keep && { _id: { $ne: keep.session_id } }) }, transaction);
  });
  if (ended === null) return false;
  try {
    await revokeSessions(ended);
  } finally {
    await notify(identity, notice, device);
  }
  return true;
};

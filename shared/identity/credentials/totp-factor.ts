import type { Document, Filter } from "mongodb";
import { nowSeconds } from "#shared/foundation/clock";
import { openSecret } from "#shared/foundation/secrets/secrets";
import type { Identity } from "#shared/tenant/tenant";
import type { Notice } from "../mail/notice-mails.ts";
import { recoveryCodeHash } from "./recovery-codes.ts";
import { matchingStep } from "./totp.ts";

/** A secret of one person cannot be opened as another's. */
export const totpPurpose = (userId: string) => ({ purpose: "totp", user: userId });

/** What uses a right code up: the identity must still be so, and is changed like this. */
export interface UsedCode {
  readonly where: Filter<Identity>;
  readonly update: Document;
  /** What the person is told once they are in by it. */
  readonly notice?: Notice;
}

/** For a code of the authenticator app or a recovery code that was not used yet; null for any other. */
export const acceptTotp = async ({ _id, totp }: Identity, code: string): Promise<UsedCode | null> => {
  if (totp === undefined) return null;
  if (!/^\d{6}$/.test(code)) {
    const hash = recoveryCodeHash(code);
    if (!totp.recovery_codes.includes(hash)) return null;
    return {
      where: { "totp.recovery_codes": hash },
      update: { $pull: { "totp.recovery_codes": hash } },
      notice: "recovery_code_used",
    };
  }
  const secret = await openSecret(totp.secret, totpPurpose(_id));
  const step = matchingStep(secret, code, { seconds: nowSeconds(), after: totp.last_step });
  if (step === null) return null;
  return { where: { "totp.last_step": { $lt: step } }, update: { $set: { "totp.last_step": step } } };
};

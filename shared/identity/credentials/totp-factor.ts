import type { Document, Filter } from "mongodb";
import { nowSeconds } from "#shared/foundation/clock";
import { openSecret } from "#shared/foundation/secrets/secrets";
import type { Identity } from "#shared/tenant/tenant";
import type { Notice } from "../mail/notice-mails.ts";
import { recoveryCodeHash } from "./recovery-codes.ts";
import { matchingStep } from "./totp.ts";

/** The encryption context: the secret of one person cannot be decrypted as another's. */
export const totpPurpose = (userId: string) => ({ purpose: "totp", user: userId });

/** The condition on the identity and the update that use up a right code. */
export interface UsedCode {
  readonly where: Filter<Identity>;
  readonly update: Document;
  /** The notice that is mailed after a sign-in with this code. */
  readonly notice?: Notice;
}

/** Accepts a code of the authenticator app or an unused recovery code. Null for any other code. */
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

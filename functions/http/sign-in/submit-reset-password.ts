import { submitResetPassword } from "#contracts/mailbox-pages";
import { endpoint } from "#shared/http/endpoint";
import { leakedPasswords } from "#shared/leaked-passwords/leaked-passwords";
import { resetPasswordStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(submitResetPassword)((step) => resetPasswordStep(step, leakedPasswords));

import { submitResetPassword } from "#contracts/mailbox-pages";
import { leakedPasswords } from "#shared/identity/credentials/leaked-passwords/leaked-passwords";
import { resetPasswordStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(submitResetPassword)((step) => resetPasswordStep(step, leakedPasswords));

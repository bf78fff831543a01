import { submitResetPassword } from "#contracts/mailbox-pages";
import { endpoint } from "#shared/http/endpoint";
import { resetPasswordStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(submitResetPassword)(resetPasswordStep);

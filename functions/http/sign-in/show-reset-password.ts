import { showResetPassword } from "#contracts/mailbox-pages";
import { endpoint } from "#shared/http/endpoint";
import { resetPasswordPage } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(showResetPassword)(resetPasswordPage);

import { showResetPassword } from "#contracts/mailbox-pages";
import { resetPasswordPage } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(showResetPassword)(resetPasswordPage);

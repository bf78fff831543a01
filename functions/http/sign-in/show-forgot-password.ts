import { showForgotPassword } from "#contracts/mailbox-pages";
import { forgotPasswordPage } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(showForgotPassword)(forgotPasswordPage);

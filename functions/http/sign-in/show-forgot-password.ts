import { showForgotPassword } from "#contracts/mailbox-pages";
import { endpoint } from "#shared/http/endpoint";
import { forgotPasswordPage } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(showForgotPassword)(forgotPasswordPage);

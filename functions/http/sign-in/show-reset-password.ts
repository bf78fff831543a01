import { showResetPassword } from "#contracts/sign-in-pages";
import { endpoint } from "#shared/http/endpoint";
import { resetPasswordPage } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(showResetPassword)(resetPasswordPage);

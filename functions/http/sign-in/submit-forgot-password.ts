import { submitForgotPassword } from "#contracts/mailbox-pages";
import { endpoint } from "#shared/http/endpoint";
import { forgotPasswordStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(submitForgotPassword)(forgotPasswordStep);

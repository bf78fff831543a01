import { submitForgotPassword } from "#contracts/mailbox-pages";
import { forgotPasswordStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(submitForgotPassword)(forgotPasswordStep);

import { submitConfirmEmail } from "#contracts/mailbox-pages";
import { endpoint } from "#shared/http/endpoint";
import { confirmEmailStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(submitConfirmEmail)(confirmEmailStep);

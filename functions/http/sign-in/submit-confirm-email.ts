import { submitConfirmEmail } from "#contracts/mailbox-pages";
import { confirmEmailStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(submitConfirmEmail)(confirmEmailStep);

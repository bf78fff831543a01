import { showConfirmEmail } from "#contracts/mailbox-pages";
import { confirmEmailPage } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(showConfirmEmail)(confirmEmailPage);

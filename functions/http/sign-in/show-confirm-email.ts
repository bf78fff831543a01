import { showConfirmEmail } from "#contracts/mailbox-pages";
import { endpoint } from "#shared/http/endpoint";
import { confirmEmailPage } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(showConfirmEmail)(confirmEmailPage);

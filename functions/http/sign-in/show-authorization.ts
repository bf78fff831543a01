import { showAuthorization } from "#contracts/sign-in-pages";
import { authorizationPage } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(showAuthorization)(authorizationPage);

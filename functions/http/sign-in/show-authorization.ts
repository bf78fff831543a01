import { showAuthorization } from "#contracts/sign-in-pages";
import { endpoint } from "#shared/http/endpoint";
import { authorizationPage } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(showAuthorization)(authorizationPage);

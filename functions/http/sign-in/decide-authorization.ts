import { decideAuthorization } from "#contracts/sign-in-pages";
import { decisionStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(decideAuthorization)(decisionStep);

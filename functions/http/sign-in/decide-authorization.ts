import { decideAuthorization } from "#contracts/sign-in-pages";
import { endpoint } from "#shared/http/endpoint";
import { decisionStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(decideAuthorization)(decisionStep);

import { leavePages } from "#contracts/sign-in-pages";
import { signOutStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(leavePages)(signOutStep);

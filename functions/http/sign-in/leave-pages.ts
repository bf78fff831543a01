import { leavePages } from "#contracts/sign-in-pages";
import { leavingStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(leavePages)(leavingStep);

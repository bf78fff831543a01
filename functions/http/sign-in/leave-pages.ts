import { leavePages } from "#contracts/sign-in-pages";
import { endpoint } from "#shared/http/endpoint";
import { leavingStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(leavePages)(leavingStep);

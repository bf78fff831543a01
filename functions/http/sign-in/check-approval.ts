import { checkApproval } from "#contracts/sign-in-pages";
import { endpoint } from "#shared/http/endpoint";
import { approvalStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(checkApproval)(approvalStep);

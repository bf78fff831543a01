import { checkApproval } from "#contracts/sign-in-pages";
import { approvalStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(checkApproval)(approvalStep);

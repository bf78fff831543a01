import { submitCode } from "#contracts/sign-in-pages";
import { codeStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(submitCode)(codeStep);

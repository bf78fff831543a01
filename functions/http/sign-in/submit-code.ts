import { submitCode } from "#contracts/sign-in-pages";
import { endpoint } from "#shared/http/endpoint";
import { codeStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(submitCode)(codeStep);

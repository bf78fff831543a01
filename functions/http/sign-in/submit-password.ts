import { submitPassword } from "#contracts/sign-in-pages";
import { passwordStep } from "#shared/identity/pages/pages";
import { endpoint } from "#shared/lambda/http/endpoint";

export const handler = endpoint(submitPassword)(passwordStep);

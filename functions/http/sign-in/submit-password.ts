import { submitPassword } from "#contracts/sign-in-pages";
import { endpoint } from "#shared/http/endpoint";
import { passwordStep } from "#shared/sign-in-pages/sign-in-pages";

export const handler = endpoint(submitPassword)(passwordStep);

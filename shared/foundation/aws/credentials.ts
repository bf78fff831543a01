import { env } from "../env.ts";

/**
 * The credentials of the function's role, which Lambda puts into the environment.
 *
 * Bundles use this in place of `@aws-sdk/credential-provider-node`, which searches a dozen sources that functions do
 * not have (profiles, SSO, instance metadata) and adds 100 KB to each cold start.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export const defaultProvider = () => async () => env.credentials();

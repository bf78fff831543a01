import { env } from "../env.ts";

/**
 * The credentials of the function's role, which Lambda hands over in the environment and never changes there.
 *
 * Bundles have this in place of `@aws-sdk/credential-provider-node`, which looks at a dozen places where no function keeps
 * credentials (profiles, SSO, instance metadata): 100 KB that each cold start would read.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export const defaultProvider = () => async () => env.credentials();

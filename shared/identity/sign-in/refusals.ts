import { Fault } from "#shared/foundation/faults";

/** RFC 9110 §15.5.2: every 401 names the scheme that would be accepted. */
const headers = { "www-authenticate": 'Bearer realm="tenantry"' };

/** The same answer for every reason, so that it does not tell whether an account exists. */
export const invalidCredentials = (): Fault => new Fault("invalid_credentials", { headers });

/** The same answer for a wrong code, an expired code and an unknown sign-in. */
export const invalidCode = (): Fault => new Fault("invalid_code", { headers });

export const invalidRefreshToken = (): Fault => new Fault("invalid_refresh_token", { headers });

export const sessionEnded = (): Fault => new Fault("unauthenticated", { headers });

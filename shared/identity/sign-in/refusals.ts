import { Fault } from "#shared/foundation/faults";

/** RFC 9110 §15.5.2: every 401 names the scheme that would be accepted. */
const headers = { "www-authenticate": 'Bearer realm="tenantry"' };

/** One answer for every reason, so that it tells nothing about the account. */
export const invalidCredentials = (): Fault => new Fault("invalid_credentials", { headers });

/** The same for a wrong code, one that is past its time, and a sign-in that nobody has begun. */
export const invalidCode = (): Fault => new Fault("invalid_code", { headers });

export const invalidRefreshToken = (): Fault => new Fault("invalid_refresh_token", { headers });

export const sessionEnded = (): Fault => new Fault("unauthenticated", { headers });

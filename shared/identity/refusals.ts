import { Fault } from "../faults.ts";

/** RFC 9110 §15.5.2: every 401 names the scheme that would be accepted. */
const headers = { "www-authenticate": 'Bearer realm="tenantry"' };

/** One answer for every reason, so that it tells nothing about the account. */
export const invalidCredentials = (): Fault => new Fault("invalid_credentials", { headers });

export const invalidRefreshToken = (): Fault => new Fault("invalid_refresh_token", { headers });

export const sessionEnded = (): Fault => new Fault("unauthenticated", { headers });

import { Fault } from "#shared/foundation/faults";

export const invalidGrant = (
  message = "The grant is not valid: it is unknown, past its time, used or meant for another client, or the redirect_uri " +
    "or code_verifier does not belong to it.",
): Fault => new Fault("invalid_grant", { message });

/** RFC 6749 §5.2: the answer names the scheme that the client used. */
export const invalidClient = (basic: boolean): Fault =>
  new Fault("invalid_client", {
    headers: { "www-authenticate": basic ? 'Basic realm="tenantry"' : 'Bearer realm="tenantry"' },
  });

export const invalidRequest = (message: string): Fault => new Fault("invalid_request", { message });

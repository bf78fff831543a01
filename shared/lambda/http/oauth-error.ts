import { Fault } from "#shared/foundation/faults";

/** RFC 6749 §5.2 and §4.1.2.1. */
const OAUTH_CODES: ReadonlySet<string> = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** OAuth has one error for every invalid request, with a description and no list. */
export const asOauth = (fault: Fault): Fault => {
  if (fault.code !== "validation_failed") return fault;
  const sentences = fault.issues.map(({ loc, msg }) => `${loc.slice(1).join(".") || "body"}: ${msg}`);
  return new Fault("invalid_request", { message: sentences.join(" ") || fault.message });
};

const errorOf = ({ code, status }: Fault): string => {
  if (OAUTH_CODES.has(code)) return code;
  if (status === 503 || status === 429) return "temporarily_unavailable";
  if (status >= 500) return "server_error";
  return status === 401 || status === 403 ? "access_denied" : "invalid_request";
};

/** The error members of RFC 6749. The description may have neither quotes nor non-ASCII characters. */
export const oauthError = (fault: Fault): { error: string; error_description: string } => ({
  error: errorOf(fault),
  error_description: fault.message.replaceAll(/["\\]/g, "'").replaceAll(/[^\x20-\x7e]/g, "?"),
});

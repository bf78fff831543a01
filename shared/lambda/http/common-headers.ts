import { env } from "#shared/foundation/env";
import type { HttpAnswer } from "./problem.ts";

/** Headers of every reply: name → description. */
export const commonHeaders = {
  "x-request-id": "The id of this request; quote it when you ask for help.",
} as const;

/**
 * Two years, on all replies, because a browser may receive any of them first (RFC 6797). Set if the issuer is https:
 * API Gateway accepts TLS only, while a local platform has none. Browsers ignore the header over plain HTTP.
 */
const overTls = (): Record<string, string> =>
  env.issuer().startsWith("https:") ? { "strict-transport-security": "max-age=63072000" } : {};

/** Disables content-type sniffing, and adds the id that finds the request in the logs. */
export const withCommonHeaders = (answer: HttpAnswer, requestId: string): HttpAnswer => ({
  ...answer,
  headers: { ...answer.headers, "x-request-id": requestId, "x-content-type-options": "nosniff", ...overTls() },
});

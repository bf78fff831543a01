import { env } from "#shared/foundation/env";
import type { HttpAnswer } from "./problem.ts";

/** On every answer, whatever it is: name → what it is for. */
export const commonHeaders = {
  "x-request-id": "The id of this request; quote it when you ask for help.",
} as const;

/**
 * Two years, for each answer and not for the pages alone: a browser may meet any of them first (RFC 6797). The issuer says how
 * we are reached: API Gateway takes nothing but TLS, and on one's own machine there is none. Browsers ignore the header there.
 */
const overTls = (): Record<string, string> =>
  env.issuer().startsWith("https:") ? { "strict-transport-security": "max-age=63072000" } : {};

/** Nobody shall guess a content type, and every answer can be found in the logs. */
export const withCommonHeaders = (answer: HttpAnswer, requestId: string): HttpAnswer => ({
  ...answer,
  headers: { ...answer.headers, "x-request-id": requestId, "x-content-type-options": "nosniff", ...overTls() },
});

import { nowMillis } from "../clock.ts";

/** Seconds after which another system wants to be asked again: `Retry-After` (RFC 9110), else `resetAt` in Unix seconds. */
export const retryAfter = (headers: Readonly<Record<string, string>>, resetAt?: string): number | undefined => {
  const given = headers["retry-after"] ?? "";
  const seconds = /^\d{1,6}$/.test(given) ? Number(given) : (Date.parse(given) - nowMillis()) / 1000;
  if (seconds >= 0) return Math.ceil(seconds);
  const reset = Number(resetAt) - nowMillis() / 1000;
  return reset >= 0 && reset < 86_400 ? Math.ceil(reset) : undefined;
};

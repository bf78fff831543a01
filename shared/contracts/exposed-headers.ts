import type { Contract } from "./contract.ts";

/**
 * What scripts of other origins may read anyway (https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name).
 */
const SAFELISTED: ReadonlySet<string> = new Set([
  "cache-control",
  "content-language",
  "content-length",
  "content-type",
  "expires",
  "last-modified",
  "pragma",
]);

/** Besides the headers that replies declare: those of all replies, of cached ones, and of errors. */
const EVERYWHERE = ["x-request-id", "idempotency-replayed", "allow", "retry-after", "www-authenticate"] as const;

/** The reply headers that scripts of other origins may read, in lower case. */
export const exposedHeaders = (contracts: readonly Contract[]): string[] => {
  const declared = contracts.flatMap(({ replies }) =>
    Object.values(replies).flatMap(({ headers = {} }) => Object.keys(headers).map((name) => name.toLowerCase())),
  );
  return [...new Set([...EVERYWHERE, ...declared])].filter((name) => !SAFELISTED.has(name)).toSorted();
};

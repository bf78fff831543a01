import type { Contract } from "./contract.ts";

/** What a script of another origin reads anyway (https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name). */
const SAFELISTED: ReadonlySet<string> = new Set([
  "cache-control",
  "content-language",
  "content-length",
  "content-type",
  "expires",
  "last-modified",
  "pragma",
]);

/** Beside what single answers declare: on every answer, on stored ones, and on errors. */
const EVERYWHERE = ["x-request-id", "idempotency-replayed", "allow", "retry-after", "www-authenticate"] as const;

/** The headers of our answers that a web page of another origin has to be shown, in lower case. */
export const exposedHeaders = (contracts: readonly Contract[]): string[] => {
  const declared = contracts.flatMap(({ replies }) =>
    Object.values(replies).flatMap(({ headers = {} }) => Object.keys(headers).map((name) => name.toLowerCase())),
  );
  return [...new Set([...EVERYWHERE, ...declared])].filter((name) => !SAFELISTED.has(name)).toSorted();
};

import { env } from "#shared/foundation/env";
import type { Header } from "../analyze/plan.ts";
import type { CacheUse } from "./cached-rows.ts";
import type { Explanation } from "./explain.ts";
import type { Row } from "./result-rows.ts";

export interface QueryResult {
  records: Row[];
  headers: Header[];
  /** Only on request. */
  total?: number;
  /** Only if there are more rows than returned and no smaller LIMIT. */
  truncated?: true;
  /** Only with `truncated`: the OFFSET after the last row. */
  next_offset?: number;
  /** Only if there are more rows. */
  next_cursor?: string;
  /** Only for EXPLAIN, which runs nothing. */
  explain?: Explanation;
}

export interface QueryAnswer {
  readonly result: QueryResult;
  readonly cache: CacheUse;
}

/** Some proxies refuse longer URLs. */
const LONGEST_ADDRESS = 6_000;

/** A query that is too long for a URL is sent in a body, with the cursor of the link. */
const linkTo = (q: string, cursor: string): string => {
  const address = (parameters: Record<string, string>): string =>
    `${env.issuer()}/v1/query?${new URLSearchParams(parameters)}`;
  const whole = address({ q, cursor });
  return `<${whole.length <= LONGEST_ADDRESS ? whole : address({ cursor })}>; rel="next"`;
};

const NDJSON = "application/x-ndjson";

/**
 * The HTTP reply with `X-Cache` and, if there is a next page, `Link` (RFC 8288). As NDJSON it has one row a line, and
 * the other members become headers. EXPLAIN has no rows and stays JSON.
 */
export const presented = (
  text: string,
  { result, cache }: QueryAnswer,
  prefers: (type: string) => boolean,
): { readonly body: QueryResult | string; readonly headers: Record<string, string> } => {
  const { records, total, truncated, next_cursor, explain } = result;
  const headers = {
    "x-cache": cache,
    ...(next_cursor === undefined ? {} : { link: linkTo(text, next_cursor) }),
  };
  if (explain !== undefined || !prefers(NDJSON)) return { body: result, headers };
  return {
    body: records.map((row) => `${JSON.stringify(row)}\n`).join(""),
    headers: {
      ...headers,
      "content-type": NDJSON,
      ...(total === undefined ? {} : { "x-total-count": String(total) }),
      ...(truncated ? { "x-truncated": "true" } : {}),
    },
  };
};

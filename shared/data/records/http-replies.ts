import { env } from "#shared/foundation/env";
import type { ApiRecord, Written } from "./api-record.ts";
import type { RecordPage, RecordPageRequest } from "./read.ts";

/** A record if the body was one record, an array if it was an array. */
export const oneOrMany = (body: unknown, written: readonly ApiRecord[]): ApiRecord | ApiRecord[] => {
  const [only] = written;
  return Array.isArray(body) || only === undefined ? [...written] : only;
};

export const truncationHeader = ({ truncated }: Pick<Written, "truncated">): Record<string, string> =>
  truncated ? { "x-truncated": "true" } : {};

/** `X-Total-Count` with `X-Total-At-Least`, `Link` to the next and the previous page (RFC 8288) and `X-Truncated`. */
export const pageHeaders = (object: string, request: RecordPageRequest, page: RecordPage): Record<string, string> => {
  const { limit, offset, order_by } = request;
  const linkTo = (rel: string, from: number): string => {
    const query = new URLSearchParams({ limit: String(limit), offset: String(from) });
    if (order_by !== undefined) query.set("order_by", order_by);
    if (!request.count) query.set("count", "false");
    return `<${env.issuer()}/v1/object/${encodeURIComponent(object)}?${query}>; rel="${rel}"`;
  };
  const { records, total, truncated } = page;
  const end = offset + records.length;
  // Without a count, a full page may be the last one: then the next one is empty.
  const isFollowed = records.length > 0 && (total === null ? records.length === limit : end < total.records);
  const links = [
    ...(truncated || isFollowed ? [linkTo("next", end)] : []),
    ...(offset > 0 ? [linkTo("prev", Math.max(0, offset - limit))] : []),
  ];
  return {
    ...(total === null ? {} : { "x-total-count": String(total.records) }),
    ...(total?.isLeast ? { "x-total-at-least": "true" } : {}),
    ...(links.length > 0 ? { link: links.join(", ") } : {}),
    ...truncationHeader(page),
  };
};

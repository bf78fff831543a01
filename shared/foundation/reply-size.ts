/**
 * What a reply may have. Lambda refuses a result of more than 6,291,556 bytes, and the result is JSON in which our body is
 * a string: every quote and backslash of the body takes one more byte there.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const replyLimits = {
  /** Bytes of the body. */
  body: 5_000_000,
  /** Bytes of Lambda's result: the escaped body, headers and cookies. */
  result: 6_000_000,
} as const;

/** For headers (a `Link` with the query, cookies) and for the small members beside the rows. */
const RESERVE = 32_768;

export interface ReplySize {
  /** As UTF-8. */
  readonly body: number;
  /** As a part of the string in Lambda's result. */
  readonly escaped: number;
}

const sizeOfText = (text: string): ReplySize => ({
  body: Buffer.byteLength(text),
  escaped: Buffer.byteLength(JSON.stringify(text)) - 2,
});

/**
 * At most this many bytes escaped, counted without making the JSON: a character takes up to seven, a control character as
 * `\\u0001`.
 */
const bound = (value: unknown): number => {
  if (typeof value === "string") return value.length * 7 + 4;
  if (typeof value !== "object" || value === null || value instanceof Date) return 34;
  let size = 2;
  if (Array.isArray(value)) for (const item of value) size += bound(item) + 1;
  else for (const key in value) size += key.length * 7 + 6 + bound(value[key as keyof typeof value]);
  return size;
};

/**
 * Says of each row in turn whether the reply still fits with it behind all rows before; `around` is what the body has
 * besides. Behind each row comes a comma or, as NDJSON, a line's end, which takes two bytes escaped. Rows are measured only where a cheap upper bound of those not yet measured does not fit.
 */
export const replyMeter = (
  around: unknown = null,
  limits: { readonly body: number; readonly result: number } = {
    body: replyLimits.body - RESERVE,
    result: replyLimits.result - RESERVE,
  },
): ((row: object) => boolean) => {
  let { body, escaped } = sizeOfText(JSON.stringify(around));
  let unmeasured: object[] = [];
  let bounded = 0;
  const fits = (): boolean => body + bounded <= limits.body && escaped + bounded <= limits.result;
  return (row) => {
    unmeasured.push(row);
    bounded += bound(row) + 2;
    if (fits()) return true;
    // With brackets, and a comma fewer than there are rows.
    const size = sizeOfText(JSON.stringify(unmeasured));
    body += size.body - 1;
    escaped += size.escaped - 1 + unmeasured.length;
    unmeasured = [];
    bounded = 0;
    return fits();
  };
};

/** Whether one value alone is more than a reply can carry. */
export const isTooLargeForReply = (value: object): boolean => !replyMeter()(value);

/** Whether Lambda's result is more than a reply may be. No character takes more than seven bytes there. */
export const isTooLargeResult = (result: { readonly body: string }): boolean =>
  result.body.length > replyLimits.result / 8 &&
  (Buffer.byteLength(result.body) > replyLimits.body || Buffer.byteLength(JSON.stringify(result)) > replyLimits.result);

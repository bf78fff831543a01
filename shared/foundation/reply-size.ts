/**
 * The limits of a reply. Lambda refuses a result of more than 6,291,556 bytes. The result is JSON with the body as a
 * string, so that every quote and backslash of the body takes one byte more.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const replyLimits = {
  /** Bytes of the body. */
  body: 5_000_000,
  /** Bytes of Lambda's result: the escaped body, headers and cookies. */
  result: 6_000_000,
} as const;

/** For headers (a `Link` with the query, cookies) and for the small members besides the rows. */
const RESERVE = 32_768;

export interface ReplySize {
  /** As UTF-8. */
  readonly body: number;
  /** As part of the string in Lambda's result. */
  readonly escaped: number;
}

const sizeOfText = (text: string): ReplySize => ({
  body: Buffer.byteLength(text),
  escaped: Buffer.byteLength(JSON.stringify(text)) - 2,
});

/**
 * An upper bound of the escaped bytes, computed without serializing: a character takes up to seven, a control character
 * as `\\u0001`.
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
 * Gives a function that says for each row in turn whether the reply still fits with it and all earlier rows. `around`
 * is the rest of the body. Each row is followed by a comma or, in NDJSON, by a newline, which takes two bytes escaped.
 * Rows are serialized only if a cheap upper bound does not fit.
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
    // With brackets, and with one comma fewer than rows.
    const size = sizeOfText(JSON.stringify(unmeasured));
    body += size.body - 1;
    escaped += size.escaped - 1 + unmeasured.length;
    unmeasured = [];
    bounded = 0;
    return fits();
  };
};

/** Whether one value alone is too large for a reply. */
export const isTooLargeForReply = (value: object): boolean => !replyMeter()(value);

/**
 * Whether Lambda's result is too large. No character takes more than seven bytes in it. Base64 is decoded before the
 * caller gets it.
 */
export const isTooLargeResult = (result: { readonly body: string; readonly isBase64Encoded?: boolean }): boolean =>
  result.body.length > replyLimits.result / 8 &&
  (Buffer.byteLength(result.body, result.isBase64Encoded ? "base64" : "utf8") > replyLimits.body ||
    Buffer.byteLength(JSON.stringify(result)) > replyLimits.result);

/** What is parsed of a received mail. A mail beyond it is recorded without its content. */
export const mailLimits = {
  /** Bytes of all headers of the mail and its parts. */
  headerBytes: 256 * 1024,
  /** Of the mail itself, in lines with their continuations. */
  headerLines: 1_000,
  /** Each one costs the parser 20 µs. Four megabytes in base64 have 58,000. */
  lines: 100_000,
  /** Lines that may begin a part. */
  delimiters: 5_000,
  /** Parts within parts. */
  nesting: 20,
  /** Characters of HTML or text that are stored. */
  content: 512 * 1024,
  /** Of a name, a subject, an address list. */
  line: 998,
  addresses: 200,
  references: 100,
  attachments: 30,
} as const;

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/** Of the headers of the mail itself: where they end, and how many lines they have. */
const headEnd = (raw: Uint8Array): { readonly end: number; readonly lines: number } => {
  let lines = 0;
  for (let at = 0; at < raw.length; ) {
    if (raw[at] === LF || (raw[at] === CR && raw[at + 1] === LF)) return { end: at, lines };
    const next = raw.indexOf(LF, at);
    lines += 1;
    if (next < 0) return { end: raw.length, lines };
    at = next + 1;
  }
  return { end: raw.length, lines };
};

/** Lines, and those that may begin a part. Not counted further than the limits. */
const countLines = (raw: Uint8Array, from: number): { readonly lines: number; readonly delimiters: number } => {
  let [lines, delimiters] = [0, 0];
  for (let at = raw.indexOf(LF, from); at >= 0; at = raw.indexOf(LF, at + 1)) {
    lines += 1;
    if (raw[at + 1] === DASH && raw[at + 2] === DASH) delimiters += 1;
    if (lines > mailLimits.lines || delimiters > mailLimits.delimiters) break;
  }
  return { lines, delimiters };
};

/** Why a mail is not parsed; undefined if it is within the limits. One pass, without memory of its own. */
export const beyondLimits = (raw: Uint8Array): string | undefined => {
  const { end, lines } = headEnd(raw);
  if (end > mailLimits.headerBytes) return `Its headers have more than ${mailLimits.headerBytes} bytes.`;
  if (lines > mailLimits.headerLines) return `It has more than ${mailLimits.headerLines} lines of headers.`;
  const counted = countLines(raw, end);
  if (counted.lines > mailLimits.lines) return `It has more than ${mailLimits.lines} lines.`;
  if (counted.delimiters > mailLimits.delimiters) return `It has more than ${mailLimits.delimiters} parts.`;
  return undefined;
};

/** The first headers, for a mail that is not parsed: enough for who, whom and what. */
export const firstHeaders = (raw: Uint8Array): Uint8Array => {
  const { end } = headEnd(raw);
  const most = raw.subarray(0, Math.min(end, mailLimits.headerBytes / 4));
  const lines = Buffer.from(most)
    .toString("latin1")
    .split("\n")
    .slice(0, mailLimits.headerLines / 4);
  return Buffer.from(`${lines.join("\n")}\n\n`, "latin1");
};

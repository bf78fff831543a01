import { unreadable } from "./unreadable.ts";

/** A part of `multipart/form-data`. */
export interface FormPart {
  readonly name: string;
  readonly filename: string | undefined;
  /** In lower case; `text/plain` if the part does not say. */
  readonly type: string;
  readonly content: Buffer;
}

/** SendGrid's largest form has two dozen fields and one part an attachment. */
const MOST_PARTS = 200;
const LONGEST_HEAD = 16 * 1024;
/** RFC 2046 §5.1.1 allows 70 characters. */
const LONGEST_BOUNDARY = 200;

const CRLF = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");

const boundaryOf = (contentType: string): string => {
  const found = /;\s*boundary=(?:"([^"]*)"|([^;\s]+))/i.exec(contentType.slice(0, 2_000));
  const boundary = found?.[1] ?? found?.[2] ?? "";
  if (boundary === "" || boundary.length > LONGEST_BOUNDARY) throw unreadable("The form has no valid boundary.");
  return boundary;
};

/**
 * `form-data; name="text"; filename="a \"b\".txt"` → its parameters. Browsers and vendors escape quotes as `%22` or
 * `\"`.
 */
const parametersOf = (value: string): Map<string, string> => {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain] of value.matchAll(/;\s*([\w*-]{1,40})=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))/g)) {
    parameters.set(name.toLowerCase(), (quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "").replaceAll("%22", '"'));
  }
  return parameters;
};

const partOf = (head: string, content: Buffer): FormPart | null => {
  const headers = new Map(
    head.split("\r\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, Math.max(colon, 0)).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const disposition = parametersOf(`;${headers.get("content-disposition") ?? ""}`.replace(/^;[^;]*/, ""));
  const name = disposition.get("name");
  if (name === undefined) return null;
  const type = (headers.get("content-type") ?? "text/plain").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return { name, filename: disposition.get("filename"), type, content };
};

/**
 * The parts of a form (RFC 7578), in one pass over its bytes. Their contents are views of the body. Raises
 * `unreadable_webhook`.
 */
export const parseMultipart = (body: Buffer, contentType: string): FormPart[] => {
  const boundary = Buffer.from(`--${boundaryOf(contentType)}`);
  const delimiter = Buffer.concat([CRLF, boundary]);
  const parts: FormPart[] = [];
  // The first delimiter may stand at the very beginning.
  let at = body.subarray(0, boundary.length).equals(boundary) ? 0 : body.indexOf(delimiter);
  if (at < 0) throw unreadable("The form has no part.");
  at += at === 0 ? boundary.length : delimiter.length;
  for (;;) {
    if (body.subarray(at, at + 2).toString("latin1") === "--") return parts;
    if (parts.length >= MOST_PARTS) throw unreadable(`The form has more than ${MOST_PARTS} parts.`);
    const start = body.indexOf(CRLF, at);
    const end = start < 0 ? -1 : body.indexOf(HEAD_END, start);
    if (end < 0 || end - start > LONGEST_HEAD) throw unreadable("A part of the form has no end of its headers.");
    const next = body.indexOf(delimiter, end + HEAD_END.length);
    if (next < 0) throw unreadable("The form ends within a part.");
    const head = body.subarray(start + CRLF.length, end).toString("utf8");
    const part = partOf(head, body.subarray(end + HEAD_END.length, next));
    if (part !== null) parts.push(part);
    at = next + delimiter.length;
  }
};

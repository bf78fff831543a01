import type { IncomingMessage } from "node:http";

/** 10 MB, as for HTTP APIs. */
const largestRequest = 10 * 1024 * 1024;

/**
 * Request line and headers together, which HTTP APIs take up to 10,240 bytes of; no account can raise that.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
export const largestHead = 10_240;

/** Bytes of the request line and the headers, as they were sent. */
export const headBytes = ({ method = "GET", url = "/", httpVersion, rawHeaders }: IncomingMessage): number => {
  // Node gives headers as Latin-1: a character is a byte.
  let bytes = `${method} ${url} HTTP/${httpVersion}\r\n`.length;
  // Behind each name ": ", behind each value a line's end.
  for (const part of rawHeaders) bytes += part.length + 2;
  return bytes;
};

/**
 * Path and query. HTTP APIs decode the path before they route and before they pass it on: `/a%2Fb` is `/a/b`, and a
 * decoded `?` ends it.
 */
export const splitTarget = (url: string): { path: string; rawQuery: string } | undefined => {
  const mark = url.indexOf("?");
  const rawQuery = mark < 0 ? "" : url.slice(mark + 1);
  const encoded = mark < 0 ? url : url.slice(0, mark);
  if (!encoded.startsWith("/")) return undefined;
  if (!encoded.includes("%")) return { path: encoded, rawQuery };
  try {
    return { path: decodeURIComponent(encoded).split("?", 1)[0] ?? "/", rawQuery };
  } catch {
    return undefined;
  }
};

/** The whole body, or undefined when it is larger than the gateway takes. */
export const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const declared = request.headers["content-length"];
  if (declared === undefined && request.headers["transfer-encoding"] === undefined) return empty;
  if (Number(declared ?? 0) > largestRequest) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const piece: Buffer = chunk;
    size += piece.length;
    if (size > largestRequest) return undefined;
    chunks.push(piece);
  }
  return chunks.length === 1 ? (chunks[0] ?? empty) : Buffer.concat(chunks);
};

const empty = Buffer.alloc(0);

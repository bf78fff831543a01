import type { IncomingMessage } from "node:http";

/** 10 MB, as for HTTP APIs. */
const largestRequest = 10 * 1024 * 1024;

/**
 * The request line and headers together. HTTP APIs have a fixed quota of 10,240 bytes.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
 */
export const largestHead = 10_240;

/** The size of the request line and the headers in bytes. */
export const headBytes = ({ method = "GET", url = "/", httpVersion, rawHeaders }: IncomingMessage): number => {
  // Node gives headers as Latin-1, so a character is a byte.
  let bytes = `${method} ${url} HTTP/${httpVersion}\r\n`.length;
  // With ": " after each name and CRLF after each value.
  for (const part of rawHeaders) bytes += part.length + 2;
  return bytes;
};

/**
 * Path and query. HTTP APIs decode the path before routing and before the integration: `/a%2Fb` is `/a/b`, and a
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

/** The whole body; undefined if it is too large for the gateway. */
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

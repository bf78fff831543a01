import type { IncomingMessage } from "node:http";

/** 10 MB, as for HTTP APIs. */
const largestRequest = 10 * 1024 * 1024;

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

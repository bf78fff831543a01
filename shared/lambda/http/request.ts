import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Log } from "#shared/foundation/log";
import type { Tenant } from "#shared/tenant/tenant";

/** Facts of a request besides its content. */
export interface RequestInfo {
  readonly id: string;
  /** When API Gateway received it. Requests of one caller may be reordered after that. */
  readonly receivedAt: Date;
  /** Milliseconds since the epoch. Everything that the request starts has ended by then. */
  readonly deadline: number;
  /** The caller's IP address and user agent. */
  readonly device: { readonly address: string; readonly user_agent: string };
  /** Host and port of the request. */
  readonly host: string;
  readonly cookies: ReadonlyMap<string, string>;
  /** Whether the caller prefers this media type over JSON. */
  readonly prefers: (type: string) => boolean;
  readonly log: Log;
}

/** What the middlewares of one request share. */
export interface Progress {
  /** By the monotonic clock. */
  startedAt: number;
  tenant?: Tenant;
}

/** Payload format 2.0. The body parser replaces the text of the body by its value. */
export type HttpEvent = Omit<APIGatewayProxyEventV2, "body"> & { body?: unknown; progress: Progress };

/**
 * One `a=1` each. Of two with one name the first counts, because browsers send the one with the longer path first (RFC
 * 6265 §5.4).
 */
export const cookiesOf = ({ cookies = [] }: HttpEvent): Map<string, string> =>
  new Map(
    cookies.toReversed().flatMap((pair): [string, string][] => {
      const equals = pair.indexOf("=");
      return equals < 1 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
    }),
  );

export const mediaType = (event: HttpEvent): string =>
  (event.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** The body as it was sent. A body that API Gateway passes as text was UTF-8. */
export const bytesOf = ({ body, isBase64Encoded }: HttpEvent): Buffer =>
  typeof body === "string" ? Buffer.from(body, isBase64Encoded ? "base64" : "utf8") : Buffer.alloc(0);

/** The size of the body as sent, in bytes. */
export const bodyBytes = (event: HttpEvent): number => {
  if (typeof event.body !== "string") return 0;
  return Buffer.byteLength(event.body, event.isBase64Encoded ? "base64" : "utf8");
};

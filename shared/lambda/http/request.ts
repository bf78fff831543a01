import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Log } from "#shared/foundation/log";
import type { Tenant } from "#shared/tenant/tenant";

/** Facts of one request that handlers may need beside its content. */
export interface RequestInfo {
  readonly id: string;
  /** When API Gateway received it. Requests of one caller may overtake each other after that. */
  readonly receivedAt: Date;
  /** Where the request comes from: an IP address, and what the client says it is. */
  readonly device: { readonly address: string; readonly user_agent: string };
  /** Host and port that the caller addressed. */
  readonly host: string;
  readonly cookies: ReadonlyMap<string, string>;
  /** Does the caller rather have this media type than JSON? */
  readonly prefers: (type: string) => boolean;
  readonly log: Log;
}

/** What the steps of one request hand to each other. */
export interface Progress {
  /** By the clock that never jumps. */
  startedAt: number;
  tenant?: Tenant;
}

/** Payload format 2.0; the body becomes a value on the way. */
export type HttpEvent = Omit<APIGatewayProxyEventV2, "body"> & { body?: unknown; progress: Progress };

/** `a=1` for each; of two with one name the first counts, which browsers send for the narrower path (RFC 6265 §5.4). */
export const cookiesOf = ({ cookies = [] }: HttpEvent): Map<string, string> =>
  new Map(
    cookies.toReversed().flatMap((pair): [string, string][] => {
      const equals = pair.indexOf("=");
      return equals < 1 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
    }),
  );

export const mediaType = (event: HttpEvent): string =>
  (event.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Size in bytes of the body as it was sent. */
export const bodyBytes = (event: HttpEvent): number => {
  if (typeof event.body !== "string") return 0;
  return Buffer.byteLength(event.body, event.isBase64Encoded ? "base64" : "utf8");
};

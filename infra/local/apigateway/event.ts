import type { IncomingMessage } from "node:http";
import { account } from "../account.ts";

interface EventInput {
  readonly request: IncomingMessage;
  readonly method: string;
  /** Percent-decoded, as in HTTP APIs. */
  readonly path: string;
  readonly rawQuery: string;
  readonly body: Buffer;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>> | undefined;
  readonly apiId: string;
  readonly requestId: string;
  readonly now: number;
}

/**
 * The event of payload format 2.0, as text for the handler.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export const proxyEvent = (input: EventInput): string => {
  const { request, rawQuery, body, routeKey, apiId, requestId, now } = input;
  const { headers, cookies } = headersOf(request, body.length, now);
  const contentType = headers["content-type"];
  const binary = body.length > 0 && !isText(contentType);
  const host = headers.host ?? "";
  return JSON.stringify({
    version: "2.0",
    routeKey,
    rawPath: input.path,
    rawQueryString: rawQuery,
    cookies,
    headers,
    queryStringParameters: rawQuery === "" ? undefined : queryOf(rawQuery),
    requestContext: {
      accountId: account.id,
      apiId,
      domainName: host.replace(/:\d+$/, ""),
      domainPrefix: host.split(/[.:]/)[0] ?? "",
      http: {
        method: input.method,
        path: input.path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId,
      routeKey,
      stage: "$default",
      time: logTime(now),
      timeEpoch: now,
    },
    pathParameters: input.pathParameters,
    body: body.length === 0 ? undefined : body.toString(binary ? "base64" : "utf8"),
    isBase64Encoded: binary,
  });
};

/**
 * Only these are passed as text. All others are base64, including forms (`application/x-www-form-urlencoded`) and
 * bodies without a content type, as observed on AWS.
 */
const isText = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^\s*(text\/|application\/(json|xml|javascript)\s*(;|$))/i.test(contentType);

/** Lower-case names, repeated ones joined by a comma, cookies separate, and the gateway's own headers. */
const headersOf = (request: IncomingMessage, bodyLength: number, now: number) => {
  const headers: Record<string, string> = Object.create(null);
  const raw = request.rawHeaders;
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] ?? "").toLowerCase();
    const value = raw[index + 1] ?? "";
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : `${earlier}${name === "cookie" ? "; " : ","}${value}`;
  }
  const { cookie, connection: _, "transfer-encoding": chunked, ...rest } = headers;
  const address = request.socket.remoteAddress ?? "127.0.0.1";
  return {
    cookies: cookie?.split(/;\s*/).filter((one) => one !== ""),
    headers: {
      ...rest,
      "content-length": chunked === undefined ? (rest["content-length"] ?? "0") : String(bodyLength),
      "x-amzn-trace-id": `Root=1-${Math.floor(now / 1000).toString(16)}-${traceId()}`,
      "x-forwarded-for": rest["x-forwarded-for"] === undefined ? address : `${rest["x-forwarded-for"]}, ${address}`,
      "x-forwarded-port": String(request.socket.localPort ?? 80),
      "x-forwarded-proto": "http",
    } as Record<string, string>,
  };
};

let lastTrace = 0;
const traceId = (): string => (++lastTrace).toString(16).padStart(24, "0");

/** Decoded. Values of a repeated key are joined by a comma. */
const queryOf = (rawQuery: string): Record<string, string> => {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const earlier = values[name];
    values[name] = earlier === undefined ? value : `${earlier},${value}`;
  }
  return values;
};

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `12/Mar/2026:19:03:58 +0000`. */
const logTime = (now: number): string => {
  const iso = new Date(now).toISOString();
  return `${iso.slice(8, 10)}/${months[Number(iso.slice(5, 7)) - 1]}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
};

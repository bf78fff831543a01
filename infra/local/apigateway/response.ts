import * as z from "zod";

/** The reply to the client. A header with several values is sent several times. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | string;
}

const headerValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

const explicit = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), headerValue).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** The gateway's own body, which HTTP APIs do not let you change. */
export const gatewayReply = (status: number, message: string): HttpReply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message }),
});

export const internalServerError = gatewayReply(500, "Internal Server Error");

/**
 * Converts a handler's result (payload format 2.0): an object with a status code as it is, anything else as a JSON body
 * with status 200. An invalid result is the gateway's 500.
 */
export const replyOf = (payload: string): HttpReply => {
  const result: unknown = JSON.parse(payload);
  if (typeof result !== "object" || result === null || !("statusCode" in result)) {
    const body = typeof result === "string" ? result : payload;
    return { status: 200, headers: { "content-type": "application/json" }, body };
  }
  const parsed = explicit.safeParse(result);
  if (!parsed.success) return internalServerError;
  const { statusCode, headers, cookies, body, isBase64Encoded } = parsed.data;
  const sent: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const key = name.toLowerCase();
    if (!refused.has(key)) sent[key] = value;
  }
  if (cookies && cookies.length > 0) sent["set-cookie"] = cookies;
  const content = isBase64Encoded ? Buffer.from(body ?? "", "base64") : (body ?? "");
  if (content.length > 0) sent["content-type"] ??= "text/plain;charset=UTF-8";
  return { status: statusCode, headers: sent, body: content };
};

/** Hop-by-hop headers, which belong to the gateway. */
const refused = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "trailer",
  "te",
]);

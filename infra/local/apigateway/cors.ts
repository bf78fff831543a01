import * as z from "zod";
import type { HttpReply } from "./response.ts";

/** `CorsConfiguration` of an HTTP API. */
export const corsConfiguration = z.strictObject({
  AllowOrigins: z.array(z.string()).default([]),
  AllowMethods: z.array(z.string()).default([]),
  AllowHeaders: z.array(z.string()).default([]),
  ExposeHeaders: z.array(z.string()).default([]),
  AllowCredentials: z.boolean().default(false),
  MaxAge: z.number().optional(),
});

type CorsConfiguration = z.output<typeof corsConfiguration>;

const allowedOrigin = ({ AllowOrigins, AllowCredentials }: CorsConfiguration, origin: string): string | undefined => {
  if (AllowOrigins.includes("*")) return AllowCredentials ? origin : "*";
  const fits = (allowed: string): boolean => {
    const [before = "", after] = allowed.toLowerCase().split("*", 2);
    const asked = origin.toLowerCase();
    return after === undefined ? asked === before : asked.startsWith(before) && asked.endsWith(after);
  };
  return AllowOrigins.some(fits) ? origin : undefined;
};

/** The gateway's own reply to a preflight request. */
export const preflight = (configuration: CorsConfiguration, origin: string): HttpReply => {
  const allowed = allowedOrigin(configuration, origin);
  if (allowed === undefined) return { status: 204, headers: {}, body: "" };
  return {
    status: 204,
    headers: {
      ...originHeaders(configuration, allowed),
      "access-control-allow-methods": configuration.AllowMethods.join(","),
      "access-control-allow-headers": configuration.AllowHeaders.join(",").toLowerCase(),
      ...(configuration.MaxAge !== undefined && { "access-control-max-age": String(configuration.MaxAge) }),
    },
    body: "",
  };
};

/** A handler's reply with the API's CORS headers. If the API has CORS, the handler's own CORS headers are removed. */
export const withCors = (configuration: CorsConfiguration, origin: string | undefined, reply: HttpReply): HttpReply => {
  const own = Object.entries(reply.headers).filter(([name]) => !name.startsWith("access-control-"));
  const allowed = origin === undefined ? undefined : allowedOrigin(configuration, origin);
  if (allowed === undefined) return { ...reply, headers: Object.fromEntries(own) };
  const exposed = configuration.ExposeHeaders.join(",");
  return {
    ...reply,
    headers: {
      ...Object.fromEntries(own),
      ...originHeaders(configuration, allowed),
      ...(exposed !== "" && { "access-control-expose-headers": exposed }),
    },
  };
};

const originHeaders = ({ AllowCredentials }: CorsConfiguration, allowed: string) => ({
  "access-control-allow-origin": allowed,
  ...(allowed !== "*" && { vary: "origin" }),
  ...(AllowCredentials && { "access-control-allow-credentials": "true" }),
});

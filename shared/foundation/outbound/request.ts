import { request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { env } from "../env.ts";
import { Fault } from "../faults.ts";
import { checkedHeaders } from "./headers.ts";
import { type CheckedAddress, checkedAddress } from "./resolve.ts";

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export interface OutboundRequest {
  /** `https://api.example.com`, without a path: the request goes there and nowhere else. */
  readonly origin: string;
  /** Begins with a slash. */
  readonly path: string;
  readonly method: (typeof methods)[number];
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Set by the caller of the platform: from an allow-list. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set by the platform: credentials. They take precedence. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  readonly ownQuery?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Whole milliseconds, from the question for the address to the end of the answer. */
  readonly within: number;
  /** The most bytes of the body; `outboundLimits.request` by default. */
  readonly mostBytes?: number;
  /** Called when the connection is there: from then on the other system may have got the request. */
  readonly onConnected?: () => void;
}

export interface OutboundReply {
  readonly status: number;
  /** Names in lower case, without cookies. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export const outboundLimits = {
  /** Bytes. */
  request: 1024 * 1024,
  response: 1024 * 1024,
  responseHeaders: 16 * 1024,
  /** Characters of path and query. */
  path: 8 * 1024,
  /** Milliseconds. */
  time: 20_000,
} as const;

const refused = (message: string): Fault => new Fault("integration_refused", { message });
const failed = (message: string, cause?: unknown): Fault => new Fault("integration_failed", { message, cause });

/**
 * The parsed origin. @throws Fault integration_refused unless it is https (or http, if the operator allows that) with a
 * host and perhaps a port, and nothing else
 */
const checkedOrigin = (origin: string): URL => {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || origin.length > 300) throw refused("The address is not a URL.");
  const schemes = env.outboundHttp() ? ["https:", "http:"] : ["https:"];
  if (!schemes.includes(url.protocol)) throw refused("The address must begin with https://.");
  if (url.username !== "" || url.password !== "") throw refused("The address must not have a user or a password.");
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw refused("The address must be an origin: a scheme and a host, without a path.");
  }
  // Ports below 1024 belong to other protocols.
  if (url.port !== "" && Number(url.port) < 1024) throw refused(`Requests to port ${url.port} are not allowed.`);
  return url;
};

/** The path with its query, below the origin. */
const targetOf = (origin: URL, { path, query = {}, ownQuery = {} }: OutboundRequest): string => {
  // With two slashes, or with a backslash, it would name another host.
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path)) throw refused("The path must begin with one slash.");
  const url = new URL(origin);
  const [pathname = "/", search = ""] = path.split("#", 1)[0]?.split(/\?(.*)/s) ?? [];
  url.pathname = pathname;
  url.search = search;
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === "string" ? [value] : value) url.searchParams.append(name, one);
  }
  for (const [name, value] of Object.entries(ownQuery)) url.searchParams.set(name, value);
  const target = `${url.pathname}${url.search}`;
  if (target.startsWith("//")) throw refused("The path must begin with one slash.");
  if (target.length > outboundLimits.path) throw refused(`Path and query may have ${outboundLimits.path} characters.`);
  return target;
};

/** Without the brackets of an address of IPv6. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** Gives the checked address to whoever asks, so that no second answer is used. */
const pinned =
  ({ address, family }: CheckedAddress): LookupFunction =>
  (_host, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };

/**
 * One request to an address that a tenant has chosen. Redirects are not followed: they are replies. The address is
 * checked and then pinned for the connection, which is used once.
 * @throws Fault integration_refused if the platform does not send it, integration_failed if there is no usable reply
 */
export const outboundRequest = async (request: OutboundRequest): Promise<OutboundReply> => {
  const origin = checkedOrigin(request.origin);
  const path = targetOf(origin, request);
  const headers = { ...checkedHeaders(request.headers ?? {}), ...request.ownHeaders };
  const { body, mostBytes = outboundLimits.request, onConnected } = request;
  if (body !== undefined && body.length > mostBytes) {
    throw refused(`The body of a request may have ${mostBytes} bytes.`);
  }
  const within = Math.min(Math.max(Math.floor(request.within), 1), outboundLimits.time);
  const signal = AbortSignal.timeout(within);
  const late = (cause: unknown): Fault => failed(`${origin.host} did not answer within ${within} ms.`, cause);
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(late(signal.reason)), { once: true });
  });
  // The race may have been decided before.
  timeout.catch(() => undefined);
  const address = await Promise.race([checkedAddress(hostOf(origin)), timeout]);
  const reply = send({ origin, path, method: request.method, headers, body, address, signal, onConnected });
  return await Promise.race([reply, timeout]).catch((error: unknown) => {
    throw error instanceof Fault ? error : failed(`${origin.host} did not give an answer that can be used.`, error);
  });
};

interface Sending extends Pick<OutboundRequest, "method"> {
  readonly origin: URL;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly address: CheckedAddress;
  readonly signal: AbortSignal;
  readonly onConnected: (() => void) | undefined;
}

const send = ({ origin, path, method, headers, body, address, signal, onConnected }: Sending): Promise<OutboundReply> =>
  new Promise((resolve, reject) => {
    const open = origin.protocol === "http:" ? requestByHttp : requestByHttps;
    const sent = open({
      hostname: hostOf(origin),
      port: origin.port === "" ? undefined : Number(origin.port),
      path,
      method,
      headers: {
        "user-agent": "Tenantry",
        accept: "application/json",
        ...headers,
        "accept-encoding": "identity",
        ...(body !== undefined && { "content-length": body.length }),
      },
      agent: false,
      lookup: pinned(address),
      maxHeaderSize: outboundLimits.responseHeaders,
      signal,
    });
    sent.once("error", reject);
    if (onConnected !== undefined) {
      const ready = origin.protocol === "http:" ? "connect" : "secureConnect";
      sent.once("socket", (socket) => socket.once(ready, onConnected));
    }
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const give = (fault: Fault): void => {
        reject(fault);
        sent.destroy();
      };
      const encoding = response.headers["content-encoding"] ?? "identity";
      // It was not asked for, and its size is known only when it is unpacked.
      if (encoding !== "identity") return give(failed(`The answer of ${origin.host} is compressed.`));
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= outboundLimits.response) chunks.push(chunk);
        else give(failed(`The answer of ${origin.host} has more than ${outboundLimits.response} bytes.`));
      });
      response.once("error", reject);
      response.once("aborted", () => reject(failed(`${origin.host} ended its answer too early.`)));
      response.once("end", () => {
        const all = Object.entries(response.headers).filter(([name]) => name !== "set-cookie");
        const named = all.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(named), body: Buffer.concat(chunks) });
      });
    });
    sent.end(body);
  });

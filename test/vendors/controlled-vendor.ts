import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a vendor has received. */
export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What a vendor answers. `drop`: it closes the connection. */
export type VendorReply =
  | { readonly status: number; readonly json: unknown; readonly headers?: Record<string, string> }
  | "drop";

/** `after`: the vendor does its work first, and then answers like this. */
export interface Trouble {
  /** Of the path. */
  readonly on: string;
  readonly times: number;
  readonly kind: "status" | "malformed" | "drop" | "slow";
  readonly status?: number;
  readonly after?: boolean;
  readonly milliseconds?: number;
  /** Seconds, as a header. */
  readonly retry_after?: number;
}

export interface VendorServer {
  readonly url: string;
  stop(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

const send = (response: ServerResponse, reply: VendorReply): void => {
  if (reply === "drop") {
    response.destroy();
    return;
  }
  const { status, json, headers = {} } = reply;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof json === "string" ? json : JSON.stringify(json));
};

const control = "/_test/";

interface Behaviour {
  readonly answer: (request: VendorRequest) => VendorReply;
  /** What tests say and ask: `POST /_test/<name>` with JSON. */
  readonly controls: Readonly<Record<string, (argument: never) => unknown>>;
}

/**
 * A vendor for tests, which they control over HTTP too, so that it can run in another process. `POST /_test/trouble` lets
 * the next requests to a path fail.
 */
export const startVendor = async ({ answer, controls }: Behaviour): Promise<VendorServer> => {
  const troubles: { -readonly [K in keyof Trouble]: Trouble[K] }[] = [];

  const troubled = async (trouble: Trouble, request: VendorRequest): Promise<VendorReply> => {
    const done = trouble.after === true ? answer(request) : null;
    if (trouble.kind === "drop") return "drop";
    if (trouble.kind === "malformed") return { status: 200, json: "{ this is no JSON" };
    if (trouble.kind === "slow") {
      await new Promise((resolve) => setTimeout(resolve, trouble.milliseconds ?? 1_000));
      return done ?? answer(request);
    }
    const status = trouble.status ?? 500;
    const type = status === 429 ? "rate_limit_error" : "api_error";
    const wait = trouble.retry_after ?? (status === 429 ? 1 : undefined);
    const headers = wait === undefined ? {} : { "retry-after": String(wait) };
    return { status, json: { error: { type, message: "Try again." }, code: status, message: "Try again." }, headers };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://vendor");
    const body = await bodyOf(request);
    if (pathname.startsWith(control)) {
      const name = pathname.slice(control.length);
      const argument = JSON.parse(body || "null");
      if (name === "trouble") troubles.push(argument);
      else return send(response, { status: 200, json: controls[name]?.(argument as never) ?? null });
      return send(response, { status: 200, json: null });
    }
    const asked = { method: request.method ?? "", path: pathname, query: searchParams, headers: request.headers, body };
    const trouble = troubles.find(({ on, times }) => times > 0 && `${pathname}?${searchParams}${body}`.includes(on));
    if (trouble === undefined) return send(response, answer(asked));
    trouble.times -= 1;
    send(response, await troubled(trouble, asked));
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

/** A client for the controls of a vendor. */
export const vendorControl =
  (url: string) =>
  async <T = unknown>(name: string, argument: unknown = null): Promise<T> => {
    const reply = await fetch(`${url}${control}${name}`, { method: "POST", body: JSON.stringify(argument) });
    return (await reply.json()) as T;
  };

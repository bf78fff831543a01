import assert from "node:assert/strict";
import { replyChecker } from "./schema-check.ts";

export interface HttpOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly form?: Record<string, string>;
  /** Sent unchanged, with the content type in `headers`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string | number | boolean | readonly string[]>;
  /** Fails with the reply in the message if the status differs. */
  readonly expect?: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a reply is whatever the platform says; tests assert on its parts.
  readonly body: any;
  readonly text: string;
}

type Call = (path: string, options?: HttpOptions) => Promise<HttpReply>;

export interface HttpClient {
  readonly get: Call;
  readonly post: Call;
  readonly patch: Call;
  readonly put: Call;
  readonly delete: Call;
  readonly send: (method: string, path: string, options?: HttpOptions) => Promise<HttpReply>;
}

const search = (query: HttpOptions["query"]): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
};

const content = (
  options: HttpOptions,
): { body: string | Uint8Array<ArrayBuffer> | null; headers: Record<string, string> } => {
  if (options.raw !== undefined) return { body: options.raw, headers: {} };
  if (options.form) {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { body: new URLSearchParams(options.form).toString(), headers };
  }
  if (options.body === undefined) return { body: null, headers: {} };
  return { body: JSON.stringify(options.body), headers: { "content-type": "application/json" } };
};

export const httpClient = (baseUrl: string): HttpClient => {
  let checker: Promise<ReturnType<typeof replyChecker>> | undefined;
  const loadChecker = (): Promise<ReturnType<typeof replyChecker>> => {
    checker ??= fetch(`${baseUrl}/openapi.json`).then(async (reply) => replyChecker((await reply.json()) as never));
    return checker;
  };

  const send = async (method: string, path: string, options: HttpOptions = {}): Promise<HttpReply> => {
    const { body, headers } = content(options);
    const reply = await fetch(`${baseUrl}${path}${search(options.query)}`, {
      method,
      body,
      redirect: "manual",
      headers: {
        ...headers,
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...options.headers,
      },
    });
    const text = await reply.text();
    const contentType = reply.headers.get("content-type") ?? "";
    const parsed = contentType.startsWith("application/json") ? JSON.parse(text) : text === "" ? undefined : text;
    // The OpenAPI document has no routes of the platform's own parts.
    const isInternal = path.startsWith("/v1/internal/");
    const problem = isInternal
      ? undefined
      : (await loadChecker())({
          method,
          path: path.split("?")[0] ?? path,
          status: reply.status,
          contentType,
          body: parsed,
        });
    assert.equal(
      problem,
      undefined,
      `${method} ${path} → ${reply.status} breaks openapi.json: ${problem}\n${text.slice(0, 2000)}`,
    );
    if (options.expect !== undefined) {
      assert.equal(reply.status, options.expect, `${method} ${path} → ${reply.status}: ${text.slice(0, 2000)}`);
    }
    return { status: reply.status, headers: reply.headers, body: parsed, text };
  };

  const call =
    (method: string): Call =>
    (path, options) =>
      send(method, path, options);
  return {
    get: call("GET"),
    post: call("POST"),
    patch: call("PATCH"),
    put: call("PUT"),
    delete: call("DELETE"),
    send,
  };
};

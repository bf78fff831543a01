import { setTimeout as pause } from "node:timers/promises";
import { Failure, type Issue } from "../failure.ts";
import { isObject, type Json, parseJson } from "../json.ts";
import { plain } from "../terminal/text.ts";

export interface Request {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path with the query, each part encoded. */
  readonly path: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** A file. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Retries if the platform or the network is busy; 3 by default. */
  readonly retries?: number;
  /** A POST that changes nothing. */
  readonly reads?: boolean;
  /** The request is safe to repeat if its reply was lost. */
  readonly repeatable?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** A JSON value, the bytes of a file, or text. */
  readonly body: unknown;
}

const TIMEOUT_MS = 40_000;
const LONGEST_WAIT_S = 60;
/** How long a request waits for a sandbox whose data are being replaced, if it is safe to repeat. */
const REFRESH_PATIENCE_MS = 60_000;
const LEAST_REFRESH_WAIT_S = 0.25;

/** A path with its parameters encoded: path`/v1/object/${name}`. */
export const path = (parts: TemplateStringsArray, ...values: string[]): string =>
  parts.reduce((text, part, index) => `${text}${encodeURIComponent(values[index - 1] ?? "")}${part}`);

const unreachable = (url: string, error: unknown): Failure => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const why: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing listens there",
    ENOTFOUND: "there is no such host",
    EAI_AGAIN: "the host's name cannot be looked up",
    ECONNRESET: "the connection was cut",
    UND_ERR_SOCKET: "the connection was cut",
    ERR_SSL_WRONG_VERSION_NUMBER: "it speaks no TLS; is it an http:// address?",
    DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is its own; NODE_EXTRA_CA_CERTS can name one to trust",
    CERT_HAS_EXPIRED: "its certificate has expired",
    ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
    EHOSTUNREACH: "there is no way to the host",
  };
  const timedOut = error instanceof Error && error.name === "TimeoutError";
  const reason = timedOut
    ? "it takes too long to answer"
    : (why[code] ?? (code || plain(cause instanceof Error ? cause.message : "the connection failed")));
  return new Failure("unreachable", `${url} cannot be reached: ${reason}.`, {
    hint: "Check the address (--url) and the network. Is it your own platform? Start it: npm start",
  });
};

const contentOf = ({ json, form, bytes }: Request): { type?: string; body?: string | Uint8Array<ArrayBuffer> } => {
  if (bytes) return { type: "application/octet-stream", body: bytes };
  if (form) return { type: "application/x-www-form-urlencoded", body: new URLSearchParams(form).toString() };
  return json === undefined ? {} : { type: "application/json", body: JSON.stringify(json) };
};

const attempt = async (url: string, request: Request, token: string | undefined): Promise<Reply> => {
  const { type, body } = contentOf(request);
  const response = await fetch(`${url}${request.path}`, {
    method: request.method,
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: "application/json",
      "user-agent": "tenantry-cli",
      ...(type && { "content-type": type }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...request.headers,
    },
    ...(body !== undefined && { body }),
  });
  const { status, headers } = response;
  const answered = headers.get("content-type") ?? "";
  if (answered === "application/octet-stream") return { status, headers, body: await response.bytes() };
  const text = await response.text();
  return { status, headers, body: answered.includes("json") ? parseJson(text) : text };
};

/** Seconds to wait, from the reply (RFC 9110 §10.2.3) or by exponential backoff. */
const waitFor = (reply: Reply | undefined, tried: number): number => {
  const header = reply?.headers.get("retry-after") ?? "";
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0.25 * 2 ** tried * (0.75 + Math.random() / 2);
};

const isBusy = ({ status, body }: Reply): boolean =>
  status === 429 || status === 503 || (isObject(body) && body.code === "idempotency_in_flight");

/** Whether to go on although the retries are used up. */
const waitsForRefresh = ({ method, repeatable }: Request, { status, body }: Reply, began: number): boolean =>
  status === 503 &&
  isObject(body) &&
  body.code === "sandbox_refreshing" &&
  (method === "GET" || repeatable === true) &&
  Date.now() - began < REFRESH_PATIENCE_MS;

/**
 * Sends a request, with retries where they can help. Gives the reply for any status. @throws Failure if there is no
 * reply
 */
export const send = async (url: string, request: Request, token?: string): Promise<Reply> => {
  const { retries = 3 } = request;
  const began = Date.now();
  for (let tried = 0; ; tried += 1) {
    let reply: Reply | undefined;
    try {
      reply = await attempt(url, request, token);
    } catch (error) {
      if (tried >= retries || !request.repeatable) throw unreachable(url, error);
    }
    if (reply && !isBusy(reply)) return reply;
    if (reply && tried >= retries && !waitsForRefresh(request, reply, began)) return reply;
    const seconds = waitFor(reply, tried);
    if (reply && seconds > LONGEST_WAIT_S) return reply;
    await pause(Math.max(seconds, tried < retries ? 0 : LEAST_REFRESH_WAIT_S) * 1000);
  }
};

const issuesOf = (detail: unknown): Issue[] =>
  Array.isArray(detail)
    ? detail.flatMap((each) =>
        isObject(each) && Array.isArray(each.loc) && typeof each.msg === "string"
          ? [{ loc: each.loc, msg: plain(each.msg), type: String(each.type), ctx: isObject(each.ctx) ? each.ctx : {} }]
          : [],
      )
    : [];

const issueLine = ({ loc, msg }: Issue): string => {
  const where = loc.slice(1).map(String).map(plain).join(".");
  return where ? `${where}: ${msg}` : msg;
};

const hints: Readonly<Record<number, string>> = {
  403: "Who am I, and where? tenantry whoami",
  404: "What objects are there? tenantry schema list",
};

const hintsByCode: Readonly<Record<string, string>> = {
  sandbox_not_found: "Which are there? tenantry sandbox list",
  sandbox_busy: "How far is it? tenantry sandbox list",
};

/** The failure to show for a refused request. */
export const refusal = (url: string, { status, body, headers }: Reply): Failure => {
  const problem: Json = isObject(body) ? body : {};
  if (typeof problem.code !== "string") {
    const place = headers.get("location");
    return new Failure("failed", `${url} answers (${status}), but not as Tenantry does.`, {
      hint: place ? `It points to ${plain(place)}: is that the address?` : "Check the address: --url, or tenantry.json",
      status,
    });
  }
  const issues = issuesOf(problem.detail);
  const [only] = issues;
  const listed = issues.length > 1 ? `\n${issues.map((each) => `  ${issueLine(each)}`).join("\n")}` : "";
  const sentence =
    only === undefined
      ? plain(String(problem.detail))
      : listed === ""
        ? issueLine(only)
        : `${issues.length} things are wrong with the request:${listed}`;
  const details = { status, code: problem.code, issues, requestId: textId(problem.request_id) };
  if (status === 429) {
    const seconds = Math.ceil(waitFor({ status, body, headers }, 0));
    return new Failure("unreachable", sentence, { ...details, hint: `Try again in ${duration(seconds)}.` });
  }
  if (status >= 500) {
    return new Failure(status === 503 ? "unreachable" : "failed", sentence, {
      ...details,
      hint: `Quote the request id when you ask for help: ${details.requestId ?? "none"}`,
    });
  }
  if (problem.code === "second_factor_required") {
    return new Failure("signedOut", sentence, { ...details, hint: "Sign in again: tenantry login" });
  }
  return new Failure(status === 401 ? "signedOut" : "refused", sentence, {
    ...details,
    hint: hintsByCode[problem.code] ?? hints[status],
  });
};

const textId = (value: unknown): string | undefined => (typeof value === "string" ? plain(value) : undefined);

const duration = (seconds: number): string =>
  seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : seconds === 1 ? "1 second" : `${seconds} seconds`;

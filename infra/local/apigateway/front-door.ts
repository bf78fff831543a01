import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type * as z from "zod";
import type { Clock } from "../clock.ts";
import type { LambdaFunction } from "../lambda/service.ts";
import { callerOf } from "./caller.ts";
import { type corsConfiguration, preflight, withCors } from "./cors.ts";
import { proxyEvent } from "./event.ts";
import { bodyOf, headBytes, largestHead, splitTarget } from "./request.ts";
import { gatewayReply, type HttpReply, internalServerError, replyOf } from "./response.ts";
import { type Match, type Route, router } from "./routes.ts";

export interface RouteTarget {
  readonly function: LambdaFunction;
  /** Milliseconds until the client gets a 503. */
  readonly timeout: number;
  /** The source ARN that the function's permission must name. */
  readonly sourceArn: string;
}

export interface Api {
  readonly id: string;
  readonly routes: readonly Route<RouteTarget>[];
  readonly cors: z.output<typeof corsConfiguration> | undefined;
  /** Whether the throttle admits a request of the route. */
  readonly admit: (routeKey: string) => boolean;
}

/** One answered request. */
export interface RequestLog {
  readonly method: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly function: string | undefined;
  readonly status: number;
  readonly milliseconds: number;
  readonly requestId: string;
  /** Why the gateway answered itself. */
  readonly problem: string | undefined;
}

/** Lambda's limit of 6 MB for an event. */
const largestEvent = 6 * 1024 * 1024;

const tooLarge = gatewayReply(413, "Request Entity Too Large");
/** AWS documents the quota but not the status. 431 (RFC 6585) is what the gateway's servers send. */
const headTooLarge = gatewayReply(431, "Request Header Fields Too Large");
const tooMany = gatewayReply(429, "Too Many Requests");
const unavailable = gatewayReply(503, "Service Unavailable");
const notFound = gatewayReply(404, "Not Found");
const badRequest = gatewayReply(400, "Bad Request");

interface Answer {
  readonly reply: HttpReply;
  readonly match?: Match<RouteTarget> | undefined;
  readonly problem?: string;
}

/** The HTTP server of the gateway. It answers 503 until an API is opened. */
export const frontDoor = ({ clock, onRequest }: { clock: Clock; onRequest: (log: RequestLog) => void }) => {
  let handle: ((request: IncomingMessage, requestId: string) => Promise<Answer> | Answer) | undefined;
  const answerOrFailure = async (request: IncomingMessage, requestId: string): Promise<Answer | undefined> => {
    try {
      return (await handle?.(request, requestId)) ?? { reply: unavailable, problem: "the platform is starting" };
    } catch (error) {
      // If the client disconnects early, reading its body fails.
      if (request.destroyed && !request.complete) return undefined;
      return { reply: internalServerError, problem: error instanceof Error ? error.message : String(error) };
    }
  };
  const listener: RequestListener = async (request, response) => {
    const started = performance.now();
    const requestId = newRequestId();
    const answer = await answerOrFailure(request, requestId);
    // The client has gone.
    if (answer === undefined) return;
    send(request, response, answer.reply, requestId);
    const { method = "GET", url = "/" } = request;
    onRequest({
      method,
      path: url.split("?", 1)[0] ?? url,
      route: answer.match?.route.key,
      function: answer.match?.route.target.function.name,
      status: answer.reply.status,
      milliseconds: Math.round((performance.now() - started) * 10) / 10,
      requestId,
      problem: answer.problem,
    });
  };
  return {
    listener,
    open: (api: Api): void => {
      handle = answerFor(api, clock);
    },
  };
};

const answerFor = (api: Api, clock: Clock) => {
  const find = router(api.routes);
  const withOrigin = (request: IncomingMessage, answer: Answer): Answer =>
    api.cors === undefined ? answer : { ...answer, reply: withCors(api.cors, request.headers.origin, answer.reply) };

  return async (request: IncomingMessage, requestId: string): Promise<Answer> => {
    const { method = "GET", url = "/" } = request;
    if (headBytes(request) > largestHead) {
      return { reply: headTooLarge, problem: `request line and headers exceed ${largestHead} bytes` };
    }
    const target = splitTarget(url);
    if (target === undefined) return { reply: badRequest, problem: "the path is not valid percent-encoding" };
    const { origin } = request.headers;
    if (api.cors !== undefined && method === "OPTIONS" && origin !== undefined) {
      return { reply: preflight(api.cors, origin) };
    }
    const match = find(method, target.path);
    if (match === undefined) return withOrigin(request, { reply: notFound });
    if (!api.admit(match.route.key)) return withOrigin(request, { reply: tooMany, match, problem: "throttled" });
    const body = await bodyOf(request);
    if (body === undefined) return withOrigin(request, { reply: tooLarge, match, problem: "the body exceeds 10 MB" });
    const event = proxyEvent({
      request,
      method,
      ...target,
      body,
      routeKey: match.route.key,
      pathParameters: match.parameters,
      apiId: api.id,
      requestId,
      now: clock.now(),
    });
    const caller = callerOf(request.headers.authorization);
    return withOrigin(request, { ...(await integrate(match.route, { event, requestId, caller })), match });
  };
};

/** Invokes the route's function if its permission allows that, and parses its result. */
const integrate = async (
  { target }: Route<RouteTarget>,
  { event, requestId, caller }: { event: string; requestId: string; caller: string | undefined },
): Promise<Answer> => {
  if (!target.function.permits("apigateway.amazonaws.com", target.sourceArn)) {
    return {
      reply: internalServerError,
      problem: `${target.function.name} has no AWS::Lambda::Permission for ${target.sourceArn}`,
    };
  }
  if (event.length > largestEvent / 3 && Buffer.byteLength(event) > largestEvent) {
    return { reply: tooLarge, problem: "the event exceeds 6 MB" };
  }
  const outcome = await within(
    target.timeout,
    target.function.invoke(requestId, event, { caller, milliseconds: target.timeout }),
  );
  if (outcome === "late") return { reply: unavailable, problem: `no answer within ${target.timeout} ms` };
  if (outcome === undefined) return { reply: unavailable, problem: "the function is throttled" };
  if (outcome.failed) return { reply: internalServerError, problem: outcome.payload };
  const reply = replyOf(outcome.payload);
  return reply === internalServerError ? { reply, problem: "the function's answer is malformed" } : { reply };
};

const within = <T>(milliseconds: number, work: Promise<T>): Promise<T | "late"> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve("late"), milliseconds);
    work.then((value) => {
      clearTimeout(timer);
      resolve(value);
    }, reject);
  });

const send = (request: IncomingMessage, response: ServerResponse, reply: HttpReply, requestId: string): void => {
  const headers: Record<string, string | string[]> = { "apigw-requestid": requestId };
  for (const [name, value] of Object.entries(reply.headers))
    headers[name] = typeof value === "string" ? value : [...value];
  if (reply.status >= 200 && reply.status !== 204 && reply.status !== 304) {
    headers["content-length"] = String(Buffer.byteLength(reply.body));
  }
  // The unread rest of a refused body must not be parsed as the next request.
  if (!request.complete && (reply.status === 413 || reply.status === 431)) headers.connection = "close";
  try {
    response.writeHead(reply.status, headers).end(reply.body);
  } catch {
    // A header that HTTP does not allow.
    response.writeHead(500, { "content-type": "application/json", "apigw-requestid": requestId });
    response.end(internalServerError.body);
  }
};

const instance = randomBytes(6).toString("base64url");
let lastRequest = 0;

/** Sixteen characters, as on AWS, unique over restarts. */
const newRequestId = (): string => `${instance}${(++lastRequest).toString(36).padStart(7, "0")}=`;

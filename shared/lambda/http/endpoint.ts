import middy from "@middy/core";
import type { Context } from "aws-lambda";
import {
  type Contract,
  declaredFaults,
  type RawBody,
  requiresPayment,
  requiresToken,
  type SignedAccess,
  scopeOf,
} from "#contracts/contract";
import { elapsedMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type Caller, requirePayment, routeTenant, type Tenant } from "#shared/tenant/tenant";
import { prefers } from "./accept.ts";
import { answerOf } from "./answer.ts";
import { beaconAuthorization } from "./beacon.ts";
import { checkedRawBody, parsedBody } from "./body.ts";
import { withCommonHeaders } from "./common-headers.ts";
import { ofCurrentCopy } from "./current-copy.ts";
import { idempotent } from "./idempotency.ts";
import { type ParsedRequest, parseRequest } from "./input.ts";
import { asOauth, oauthError } from "./oauth-error.ts";
import { type HttpAnswer, problem, toFault } from "./problem.ts";
import { problemPage } from "./problem-page.ts";
import type { ReplyOf } from "./reply.ts";
import { bytesOf, cookiesOf, type HttpEvent, type RequestInfo } from "./request.ts";
import { withSuperuserTrail } from "./superuser-trail.ts";
import { truncateFault } from "./truncate-fault.ts";

type Signed<C extends Contract> = C["access"] extends SignedAccess
  ? { readonly tenant: Tenant; readonly caller: Caller }
  : { readonly tenant?: undefined; readonly caller?: undefined };

/** The body of a route with `rawBody`, and the header that describes it; an empty text without it. */
type Raw<C extends Contract> = C["request"] extends { readonly rawBody: RawBody }
  ? { readonly raw: Buffer; readonly contentType: string }
  : object;

/** What a handler gets: the parsed request, facts about it and, on routes that need a token, the caller's tenant. */
export type Input<C extends Contract> = ParsedRequest<C> & Signed<C> & Raw<C> & { readonly request: RequestInfo };

export type Handle<C extends Contract> = (input: Input<C>) => Promise<ReplyOf<C>> | ReplyOf<C>;

type HttpRequest = middy.Request<HttpEvent, HttpAnswer, Error, Context>;
type HttpMiddleware = middy.MiddlewareObj<HttpEvent, HttpAnswer, Error, Context>;

/** Shorter than the time limits of Lambda and API Gateway, so that a time-out has the platform's error body. */
const TIMEOUT_MARGIN_MS = 500;

/** From the arrival of a request to its deadline. API Gateway waits 30 seconds for the reply. */
const MOST_MILLISECONDS = 25_000;

const requestId = (request: HttpRequest): string => request.event.requestContext.requestId;

/** An app needs a scope for what it does in a person's name. */
const authorizeApp = (contract: Contract, { client_id, scope }: Caller): void => {
  if (client_id === null) return;
  if (contract.refusesApps) throw new Fault("app_not_allowed");
  const needed = scopeOf(contract);
  const held = scope.split(" ");
  if (held.includes("all") || held.includes(needed)) return;
  // RFC 6750 §3.1.
  const challenge = `Bearer realm="tenantry", error="insufficient_scope", scope="${needed}"`;
  throw new Fault("insufficient_scope", { headers: { "www-authenticate": challenge } });
};

const authorize = (contract: Contract, caller: Caller): void => {
  authorizeApp(contract, caller);
  if (contract.access === "admin" && !caller.is_admin) {
    throw new Fault("forbidden", { message: "Only an administrator of the organization may do this." });
  }
  if (contract.access === "superuser" && !caller.is_superuser) {
    throw new Fault("forbidden", { message: "Only an operator of the platform may do this." });
  }
};

const authenticated = (contract: Contract): HttpMiddleware => ({
  before: async (request) => {
    const { event } = request;
    const tenant = await routeTenant(
      contract.access === "beacon" ? await beaconAuthorization(contract, request) : event.headers.authorization,
      requestId(request),
      contract.allowsMissingSecondFactor,
    );
    event.progress.tenant = tenant;
    authorize(contract, tenant.caller);
    if (requiresPayment(contract)) requirePayment(tenant);
  },
});

/** Why a token was refused, if the cause is a code. */
const reasonOf = ({ cause }: Fault): string | undefined => (typeof cause === "string" ? cause : undefined);

/** Logs one structured line for each request, and gives every error one shape. */
const concluded = (contract: Contract): HttpMiddleware => {
  const declared = new Set<string>(declaredFaults(contract));
  const line = (request: HttpRequest, status: number, error?: { code: string; cause?: unknown }): void => {
    const level = status >= 500 ? "error" : "info";
    log[level](
      {
        request_id: requestId(request),
        route: `${contract.method} ${contract.path}`,
        status,
        ms: Math.round((elapsedMillis() - request.event.progress.startedAt) * 100) / 100,
        organization: request.event.progress.tenant?.organization_id,
        user: request.event.progress.tenant?.caller.id,
        code: error?.code,
        ...(typeof error?.cause === "string" ? { reason: error.cause } : { err: error?.cause }),
      },
      "request",
    );
  };
  return {
    before: ({ event }) => {
      event.progress = { startedAt: elapsedMillis() };
    },
    after: (request) => {
      if (request.response) request.response = withCommonHeaders(request.response, requestId(request));
      line(request, request.response?.statusCode ?? 500);
    },
    onError: (request) => {
      const thrown = toFault(request.error);
      const raised = truncateFault(contract.oauth ? asOauth(thrown) : thrown);
      const fault = declared.has(raised.code) ? raised : new Fault("internal_error", { cause: raised });
      const answer = contract.page
        ? problemPage(fault, requestId(request))
        : problem(fault, requestId(request), contract.oauth ? oauthError(fault) : {});
      request.response = withCommonHeaders(answer, requestId(request));
      line(request, fault.status, {
        code: fault.code,
        cause: fault.status >= 500 ? (fault.cause ?? fault) : reasonOf(fault),
      });
    },
  };
};

const requestInfo = (event: HttpEvent): RequestInfo => ({
  id: event.requestContext.requestId,
  receivedAt: new Date(event.requestContext.timeEpoch),
  deadline: event.requestContext.timeEpoch + MOST_MILLISECONDS,
  device: { address: event.requestContext.http.sourceIp, user_agent: event.requestContext.http.userAgent },
  host: event.headers.host ?? "",
  cookies: cookiesOf(event),
  prefers: (type) => prefers(event.headers.accept ?? "", type),
  log,
});

/**
 * Makes a Lambda of a contract and a handler. The order is: token and caller (401), role (403), payment (402), content type and size
 * (415, 413), shape (422), Idempotency-Key, the handler, the check of its reply against the contract, and
 * for a sandbox that it was not refreshed meanwhile (503).
 */
export const endpoint =
  <const C extends Contract>(contract: C) =>
  (handle: Handle<C>) => {
    const run = async (event: HttpEvent): Promise<HttpAnswer> => {
      const parsed = parseRequest(contract, event);
      const { tenant } = event.progress;
      // `authenticated` sets the tenant if the contract's access requires one.
      const input = {
        ...parsed,
        ...(contract.request.rawBody && { raw: bytesOf(event), contentType: event.headers["content-type"] ?? "" }),
        tenant,
        caller: tenant?.caller,
        request: requestInfo(event),
      } as unknown as Input<C>;
      return answerOf(contract, await handle(input));
    };
    const pipeline = middy<HttpEvent, HttpAnswer, Error, Context>({
      timeoutEarlyInMillis: TIMEOUT_MARGIN_MS,
      timeoutEarlyResponse: () => {
        throw new Fault("internal_error", { cause: new Error("The handler ran out of time.") });
      },
    }).use(concluded(contract));
    if (requiresToken(contract)) pipeline.use(authenticated(contract));
    if (contract.request.body) pipeline.use(parsedBody(contract) as HttpMiddleware);
    if (contract.request.rawBody) pipeline.use(checkedRawBody(contract) as HttpMiddleware);
    return pipeline.handler(
      ofCurrentCopy(contract, withSuperuserTrail(contract, contract.idempotent ? idempotent(contract, run) : run)),
    );
  };

import type * as z from "zod";
import { type FaultCode, faultTable } from "./fault-table.ts";

/**
 * Who may call a route. `public`: no token. `signature`: a vendor's signature over the raw body. `capability`: a
 * single-purpose token. `user`: any signed-in user. `beacon`: as `user`, but the access token may also be the body's
 * `token`, for callers that cannot set headers. `admin`: account owner, account admin or superuser. `superuser`: the
 * platform's operators. `signature`, `capability` and `superuser` are for routes to come: webhooks, tenants' code, and
 * a task of operators.
 */
export type RouteAccess = "public" | "signature" | "capability" | SignedAccess;

/** Access that needs an access token. The handler gets the caller's tenant. */
export type SignedAccess = "user" | "beacon" | "admin" | "superuser";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The folder of `functions/http` and the stack that a route belongs to. */
export type Area =
  | "automation"
  | "billing"
  | "documents"
  | "email-services"
  | "identity"
  | "notifications"
  | "platform"
  | "public"
  | "query"
  | "records"
  | "sandbox"
  | "schema"
  | "sign-in"
  | "status";

/** A declared reply. Without `body` it is empty (204). `contentType` defaults to `application/json`. */
export interface ReplyContract {
  readonly description: string;
  readonly body?: z.ZodType;
  /** The body is a `Uint8Array`, already compressed by gzip unless it is `uncompressed`. */
  readonly bytes?: true;
  /** With `bytes`: they are not compressed, and sent as they are. */
  readonly uncompressed?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** Further media types that `Accept` may ask for, each with a description of its text. */
  readonly alternatives?: Readonly<Record<string, string>>;
}

export interface RequestContract {
  readonly path?: z.ZodType<object>;
  readonly query?: z.ZodType<object>;
  readonly headers?: z.ZodType<object>;
  readonly body?: z.ZodType;
  /** Media types of the request body; `application/json` by default. */
  readonly bodyTypes?: readonly BodyType[];
  /** In bytes; 1 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Instead of `body`: the handler gets the bytes as they were sent, `raw`. Not larger than `maxBodyBytes`. */
  readonly rawBody?: RawBody;
}

/** Accepted media types → their descriptions. `*` stands for all. */
export type RawBody = Readonly<Record<string, string>>;

export type BodyType = "application/json" | "application/x-www-form-urlencoded";

/**
 * The public declaration of one route, from which types, validation, documents, stacks and tests are derived.
 * `operation` is the OpenAPI operationId. Its kebab-case form names the handler:
 * `functions/http/<area>/<operation>.ts`.
 */
export interface Contract {
  readonly operation: string;
  readonly area: Area;
  readonly method: Method;
  readonly path: `/${string}`;
  readonly access: RouteAccess;
  readonly summary: string;
  readonly description?: string;
  readonly request: RequestContract;
  readonly replies: Readonly<Record<number, ReplyContract>>;
  /** Additional faults. Those that follow from access and request are not listed. */
  readonly faults: readonly FaultCode[];
  /** Refuses the tokens of apps, whatever their scope. */
  readonly refusesApps?: true;
  /**
   * Allowed without the second factor that the organization requires, and in a sandbox that is being refreshed: logout
   * and switch, which leave the organization and neither read nor write its data.
   */
  readonly allowsMissingSecondFactor?: true;
  /** A POST that changes no data. The scope `read` is enough. */
  readonly reads?: true;
  /** Errors have `error` and `error_description` too, and an invalid request is a 400 (RFC 6749 §5.2). */
  readonly oauth?: true;
  /** For browsers: errors are pages too. */
  readonly page?: true;
  /** The POST creates or sends and accepts an `Idempotency-Key`. Its handler has one effect, through `tenant.once`. */
  readonly idempotent?: boolean;
}

/** Keeps the literal types, so that handlers are checked against the declaration. */
export const defineContract = <const C extends Contract>(contract: C): C => contract;

export const handlerPath = (contract: Contract): string =>
  `functions/http/${contract.area}/${contract.operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;

/** Path parameters in order: `/v1/object/{object}/{id}` → `["object", "id"]`. */
export const pathParameters = (contract: Contract): string[] =>
  [...contract.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);

const signedAccess: ReadonlySet<RouteAccess> = new Set<SignedAccess>(["user", "beacon", "admin", "superuser"]);

export const requiresToken = (contract: Contract): boolean => signedAccess.has(contract.access);

/** The scope that an app's token needs for a route. */
export const scopeOf = ({ access, method, reads }: Contract): "admin" | "read" | "write" => {
  if (access === "admin" || access === "superuser") return "admin";
  return method === "GET" || reads ? "read" : "write";
};

/** What stays possible in an organization that has not paid: signing in and out, presence, and what leads to a payment. */
const areasWithoutPayment: ReadonlySet<Area> = new Set<Area>(["billing", "identity", "sign-in", "status"]);

/** Whether the route is refused in an organization that has not paid. Reading is not. */
export const requiresPayment = (contract: Contract): boolean =>
  requiresToken(contract) &&
  !areasWithoutPayment.has(contract.area) &&
  contract.method !== "GET" &&
  contract.reads !== true;

/** The faults of a route: its own and those that follow from its access and request. */
export const declaredFaults = (contract: Contract): FaultCode[] => {
  const faults = new Set<FaultCode>(contract.faults);
  faults.add("internal_error");
  if (requiresToken(contract)) {
    for (const code of ["unauthenticated", "organization_suspended", "database_unavailable"] as const) faults.add(code);
    if (!contract.allowsMissingSecondFactor) faults.add("second_factor_required");
    faults.add(contract.refusesApps ? "app_not_allowed" : "insufficient_scope");
  }
  if (requiresPayment(contract)) faults.add("payment_required");
  // Whatever reaches an organization's database may reach that of a sandbox.
  if (faults.has("database_unavailable")) faults.add("sandbox_refreshing");
  if (contract.access === "admin" || contract.access === "superuser") faults.add("forbidden");
  const { path, query, headers, body, rawBody } = contract.request;
  if (path || query || headers || body) faults.add("validation_failed");
  if (body || rawBody) {
    faults.add("body_too_large");
    faults.add("unsupported_media_type");
  }
  if (contract.idempotent) {
    faults.add("idempotency_in_flight");
    faults.add("too_many_idempotency_keys");
    faults.add("validation_failed");
  }
  if (contract.oauth && faults.delete("validation_failed")) faults.add("invalid_request");
  return [...faults].sort((a, b) => faultTable[a].status - faultTable[b].status || a.localeCompare(b));
};

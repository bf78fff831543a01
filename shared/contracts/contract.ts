import type * as z from "zod";
import { type FaultCode, faultTable } from "./fault-table.ts";

/**
 * Who may call a route.
 * `public`: no token. `signature`: a vendor's signature over the raw body. `capability`: a single-purpose token.
 * `user`: anyone signed in. `beacon`: anyone signed in, whose access token may also come as the body's `token`, for callers
 * that cannot set headers. `admin`: account owner, account admin or superuser. `superuser`: the platform's operators.
 */
export type RouteAccess = "public" | "signature" | "capability" | SignedAccess;

/** Access that needs an access token: the handler is given the caller and their tenant. */
export type SignedAccess = "user" | "beacon" | "admin" | "superuser";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The folder of `functions/http` and the stack that a route belongs to. */
export type Area = "identity" | "platform" | "query" | "records" | "schema" | "sign-in" | "status";

/** One declared answer. A reply without `body` has none (204); `contentType` defaults to `application/json`. */
export interface ReplyContract {
  readonly description: string;
  readonly body?: z.ZodType;
  /** The body is a `Uint8Array` instead, already compressed by gzip. */
  readonly bytes?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** Further media types that a caller may ask for with `Accept`, each with what its text is. */
  readonly alternatives?: Readonly<Record<string, string>>;
}

export interface RequestContract {
  readonly path?: z.ZodType<object>;
  readonly query?: z.ZodType<object>;
  readonly headers?: z.ZodType<object>;
  readonly body?: z.ZodType;
  /** Media types that the body may come in; `application/json` unless said otherwise. */
  readonly bodyTypes?: readonly BodyType[];
  /** In bytes; 1 MiB unless said otherwise. */
  readonly maxBodyBytes?: number;
}

export type BodyType = "application/json" | "application/x-www-form-urlencoded";

/**
 * Everything public about one route. From it come the types, the validation, the documents, the stacks and the tests.
 * `operation` is the OpenAPI operationId; its kebab-case form names the handler: `functions/http/<area>/<operation>.ts`.
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
  /** Faults of the route's own; those that its access and request imply need not be listed. */
  readonly faults: readonly FaultCode[];
  /** An app's token is refused, whatever its scope: only a person who signed in may call it. */
  readonly refusesApps?: true;
  /** Allowed without the second factor that the organization requires, as on logout and switch. */
  readonly allowsMissingSecondFactor?: true;
  /** A POST that changes no data: a token that may only read is enough. */
  readonly reads?: true;
  /** Errors carry `error` and `error_description` too, and what does not fit is a 400 (RFC 6749 §5.2). */
  readonly oauth?: true;
  /** For a person's browser: whatever goes wrong is answered as a page too. */
  readonly page?: true;
  /** The POST creates or sends and takes an `Idempotency-Key`: its handler has one effect, through `tenant.once`. */
  readonly idempotent?: boolean;
}

/** Keeps the literal types of a contract, so that a handler is checked against exactly what it declares. */
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

/** Every fault that the route may answer with: its own and those that follow from its access and its request. */
export const declaredFaults = (contract: Contract): FaultCode[] => {
  const faults = new Set<FaultCode>(contract.faults);
  faults.add("internal_error");
  if (requiresToken(contract)) {
    for (const code of ["unauthenticated", "organization_suspended", "database_unavailable"] as const) faults.add(code);
    if (!contract.allowsMissingSecondFactor) faults.add("second_factor_required");
    faults.add(contract.refusesApps ? "app_not_allowed" : "insufficient_scope");
  }
  if (contract.access === "admin" || contract.access === "superuser") faults.add("forbidden");
  const { path, query, headers, body } = contract.request;
  if (path || query || headers || body) faults.add("validation_failed");
  if (body) {
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

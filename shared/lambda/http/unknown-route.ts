import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Contract } from "#contracts/contract";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { withCommonHeaders } from "./common-headers.ts";
import { type HttpAnswer, problem } from "./problem.ts";

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}/?$`);

/** Answers requests without a route: 405 with `Allow` if only the method is wrong, else 404. */
export const unknownRoute = (routes: readonly Contract[]) => {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: patternOf(path) }));
  return async (event: APIGatewayProxyEventV2): Promise<HttpAnswer> => {
    const { method } = event.requestContext.http;
    const { requestId } = event.requestContext;
    const allowed = new Set(
      patterns.filter(({ pattern }) => pattern.test(event.rawPath)).map((candidate) => candidate.method),
    );
    const fault =
      allowed.size > 0 && !allowed.has(method as Contract["method"])
        ? new Fault("method_not_allowed", { headers: { allow: [...allowed].sort().join(", ") } })
        : new Fault("route_not_found");
    log.info({ request_id: requestId, method, status: fault.status, code: fault.code }, "request");
    return withCommonHeaders(problem(fault, requestId), requestId);
  };
};

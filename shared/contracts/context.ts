import * as z from "zod";
import { defineContract } from "./contract.ts";

/**
 * One call of running code to the platform. The supervisor of the runner sends it, so the route is not in the API's
 * documents. The arguments are checked by the contracts of the routes that do the same.
 */
export const callContext = defineContract({
  operation: "callContext",
  area: "automation",
  method: "POST",
  path: "/v1/internal/context",
  access: "capability",
  summary: "Answer a call of running code",
  request: {
    headers: z.object({ authorization: z.string().optional() }),
    // Checked after the token. `contextCall` is its shape.
    body: z.unknown(),
  },
  replies: { 200: { description: "The result.", body: z.object({ result: z.unknown() }) } },
  faults: [
    "payment_required",
    "unauthenticated",
    "insufficient_scope",
    "forbidden",
    "organization_suspended",
    "sandbox_refreshing",
    "database_unavailable",
    "dependency_unavailable",
    "validation_failed",
    "reserved_object",
    "object_not_found",
    "record_not_found",
    "function_not_found",
    "automation_not_found",
    "automation_invalid",
    "integration_not_found",
    "integration_refused",
    "integration_failed",
    "execution_limit",
    "too_many_calls",
    "duplicate_value",
    "conflict",
    "last_owner",
    "in_use",
    "too_many_queries",
    "too_many_functions",
  ],
});

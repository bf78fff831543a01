/** Answers the calls of running code. An entry of its own, because only one function needs all of it. */
import { type ContextCall, contextCall } from "#contracts/runner";
import { Fault } from "#shared/foundation/faults";
import { holdsScope, refuseReplacedCopy, requirePayment } from "#shared/tenant/tenant";
import { executionLimits } from "../executions/limits.ts";
import { parsedAs } from "./arguments.ts";
import type { Calling, ContextPorts, Method } from "./method.ts";
import { openExecution } from "./open.ts";

/** Everything that running code can ask of the platform, by the first part of its name. Loaded when it is asked for. */
const groups: Readonly<Record<string, () => Promise<Readonly<Record<string, Method>>>>> = {
  records: async () => (await import("./records.ts")).recordMethods,
  query: async () => (await import("./query.ts")).queryMethods,
  workflows: async () => (await import("./workflows.ts")).workflowMethods,
  metadata: async () => (await import("./metadata.ts")).metadataMethods,
  communications: async () => (await import("./communications.ts")).communicationMethods,
  integrations: async () => (await import("./integrations.ts")).integrationMethods,
};

const methodOf = async ({ method }: ContextCall): Promise<Method> => {
  const [group = ""] = method.split(".");
  const methods = Object.hasOwn(groups, group) ? await groups[group]?.() : undefined;
  const known = methods !== undefined && Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (known !== undefined) return known;
  throw new Fault("validation_failed", {
    issues: [
      { loc: ["body", "method"], msg: `The platform has no "${method.slice(0, 100)}".`, type: "unknown_method" },
    ],
  });
};

/** As for requests: an app may do what its scopes allow, and writing needs a payment. */
const authorize = ({ tenant }: Calling, { scope }: Method): void => {
  if (scope === "write") requirePayment(tenant);
  if (!holdsScope(tenant.caller, scope)) throw new Fault("insufficient_scope");
};

const refuseLarge = (result: unknown): void => {
  const bytes = Buffer.byteLength(JSON.stringify(result ?? null));
  if (bytes <= executionLimits.payloadBytes) return;
  const msg = `The result has ${bytes} bytes; a call gives at most ${executionLimits.payloadBytes}. Ask for less at once.`;
  throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "result_too_large" }] });
};

export { bearerToken } from "../executions/token.ts";
export type { ContextPorts } from "./method.ts";

export interface CallRequest {
  /** The capability token of the execution. */
  readonly token: string;
  readonly body: unknown;
  readonly request_id: string;
  /** Of the request, in milliseconds since the epoch. */
  readonly deadline: number;
}

/**
 * Answers one call of running code, with the rights of the executing user at this moment and by the same code as the
 * public API. Raises `unauthenticated` for a token that is not valid, and what the method raises.
 */
export const callContext = async (
  { token, body, request_id, deadline }: CallRequest,
  ports: ContextPorts,
): Promise<unknown> => {
  const { tenant, execution } = await openExecution(token, request_id);
  const call = parsedAs(contextCall, body);
  const method = await methodOf(call);
  const calling = { tenant, execution, ports, deadline: Math.min(deadline, execution.deadline.getTime()) };
  authorize(calling, method);
  const result = await method.run(calling, call);
  await refuseReplacedCopy(tenant);
  refuseLarge(result);
  return result ?? null;
};

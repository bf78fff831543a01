/** Runs the code of an organization, and answers the calls of running code. */
import type { ContextCall } from "#contracts/runner";
import type { Tenant } from "#shared/tenant/tenant";
import type { Origin, Outcome, ParentExecution } from "./outcome.ts";

export type { ExecutionError, Origin, Outcome, ParentExecution, Place } from "./outcome.ts";

/** Runs a function in the name of the caller. Raises `function_not_found` and `too_many_functions`. */
export const runFunction = async (
  _tenant: Tenant,
  _which: { readonly id: string } | { readonly file_name: string },
  _kwargs: Readonly<Record<string, unknown>>,
  _origin: Origin,
): Promise<Outcome> => {
  throw new Error("Functions do not run yet.");
};

/** What a call needs of the rooms above. */
export interface ContextPorts {
  /** Runs an automation for a running function, and gives what it returned. */
  readonly runWorkflow: (
    tenant: Tenant,
    automationId: string,
    data: Readonly<Record<string, unknown>>,
    origin: Origin & { readonly parent: ParentExecution },
  ) => Promise<unknown>;
}

/** Answers one call of running code. `token` is its capability token. Raises `unauthenticated`. */
export const callContext = async (_token: string, _call: ContextCall, _ports: ContextPorts): Promise<unknown> => {
  throw new Error("Functions do not run yet.");
};

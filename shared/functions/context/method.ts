import type { ContextCall } from "#contracts/runner";
import type { Tenant } from "#shared/tenant/tenant";
import type { Execution } from "../executions/execution.ts";
import type { Origin, ParentExecution } from "../outcome.ts";

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

/** One call, by a running execution. */
export interface Calling {
  readonly tenant: Tenant;
  readonly execution: Execution;
  /** Milliseconds since the epoch. Whatever the call starts has ended by then. */
  readonly deadline: number;
  readonly ports: ContextPorts;
}

/** A method of the context. */
export interface Method {
  /** The scope that an app needs. */
  readonly scope: "read" | "write";
  readonly run: (calling: Calling, call: ContextCall) => Promise<unknown>;
}

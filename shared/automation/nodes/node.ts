import type { AutomationNode, NodeResult } from "#shared/data/schema/automations/automations";
import type { ParentExecution } from "#shared/functions/functions";
import type { Tenant } from "#shared/tenant/tenant";
import type { Evaluation } from "../engine/expressions.ts";

/** What a node is executed with. */
export interface NodeContext {
  /** With the rights that the executing user has at this moment. */
  readonly tenant: Tenant;
  readonly evaluation: Evaluation;
  /** The execution of the automation. */
  readonly execution: ParentExecution;
  /** Milliseconds since the epoch. The node has ended by then. */
  readonly deadline: number;
}

/** What a node has come to. */
export interface NodeDone {
  readonly result: NodeResult;
  /** What it was given, for the log. */
  readonly inputs?: unknown;
  /** What later nodes read by its id. */
  readonly output?: unknown;
  /** Variables to be set. */
  readonly assigned?: Readonly<Record<string, unknown>>;
  /** When the run goes on. */
  readonly until?: Date;
  /** What the run returns. It ends here. */
  readonly returned?: { readonly value: unknown };
}

export type Execute<T extends AutomationNode["type"]> = (
  node: Extract<AutomationNode, { readonly type: T }>,
  context: NodeContext,
) => Promise<NodeDone> | NodeDone;

export const next: NodeResult = { way: "next" };

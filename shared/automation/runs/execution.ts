import type { Collection } from "mongodb";
import type { Execution, Outcome } from "#shared/functions/functions";
import { EXECUTION_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";
import type { NodeLine } from "../engine/lines.ts";

/** Where a running automation is. */
export interface Progress {
  /** The node that is being executed. */
  readonly node: string;
  readonly lines: readonly NodeLine[];
}

/** What an automation needs to go on after a delay. Everything is JSON, so that any names can be stored. */
export interface Waiting {
  /** Goes up with each delay. A schedule is valid for one. */
  readonly revision: number;
  readonly resume_at: Date;
  readonly state: string;
  readonly lines: string;
  /** Nodes and edges as the run began with them. */
  readonly definition: string;
}

/** An execution of an automation. */
export type AutomationExecution = Execution & { readonly progress?: Progress; readonly waiting?: Waiting };

export const automationExecutions = ({
  collection,
}: Pick<TenantDatabase, "collection">): Collection<AutomationExecution> =>
  collection<AutomationExecution>(EXECUTION_COLLECTION);

/** A run that is in a delay. */
export interface WaitingRun {
  readonly execution_id: string;
  readonly status: "waiting";
  readonly output: null;
  readonly error?: undefined;
  readonly resume_at: string;
}

/** What an automation has come to: what its return gave, or why it failed, or that it waits. */
export type AutomationOutcome = Outcome | WaitingRun;

import { now } from "#shared/foundation/clock";
import { openOrganization, type TenantDatabase } from "#shared/tenant/tenant";
import type { ExecutionError } from "../outcome.ts";
import { endExecution } from "./end.ts";
import { type Execution, executionsOf } from "./execution.ts";
import type { Ending } from "./log-record.ts";

/** Executions of an organization that one visit ends. */
const MOST_AT_ONCE = 200;

const interrupted = (node: string | undefined): ExecutionError => ({
  kind: "interrupted",
  type: "Interrupted",
  message:
    node === undefined
      ? "The execution was interrupted. What it had written before stays."
      : `The execution was interrupted at the node "${node}". What it had written before stays.`,
});

const endingOf = ({ progress }: Execution): Ending => ({
  status: "failed",
  output: null,
  error: interrupted(progress?.node),
  lines: progress?.lines ?? [],
  lines_cut: false,
});

export interface Reconciled {
  /** Executions that were failed. */
  readonly interrupted: number;
  /** Whether executions are left that may have to be failed later. */
  readonly isLeft: boolean;
}

const openOnes = ({ collection }: Pick<TenantDatabase, "collection">) =>
  executionsOf({ collection }).find(
    { status: { $nin: ["completed", "failed", "unstarted"] } },
    { projection: { _id: 1 } },
  );

/**
 * Fails the executions of an organization that nobody runs any more: whoever ran them has died. They are not run again,
 * because nobody knows what they had done.
 */
export const reconcileExecutions = async (organizationId: string): Promise<Reconciled> => {
  const database = await openOrganization(organizationId);
  if (database === null) return { interrupted: 0, isLeft: false };
  const over = await executionsOf(database)
    .find({ status: "running", lease_until: { $lt: now() } })
    .limit(MOST_AT_ONCE)
    .toArray();
  let count = 0;
  for (const execution of over) {
    if ((await endExecution(database, execution, endingOf(execution))) !== null) count += 1;
  }
  return { interrupted: count, isLeft: (await openOnes(database).limit(1).next()) !== null };
};

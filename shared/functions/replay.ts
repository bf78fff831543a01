import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import type { Tenant } from "#shared/tenant/tenant";
import { type LogRecord, readLogRecord } from "./executions/read.ts";
import type { Origin, Outcome } from "./outcome.ts";
import { runFunction } from "./run-function.ts";

type StoredDefinition = LogRecord & { readonly related_to: NonNullable<LogRecord["related_to"]> };

/** Runs again what a record describes. */
export type Replayer = (tenant: Tenant, record: StoredDefinition, inputs: unknown, origin: Origin) => Promise<Outcome>;

const replayFunction: Replayer = (tenant, { related_to }, inputs, origin) =>
  runFunction(tenant, { id: related_to.id }, isObject(inputs) ? inputs : {}, origin);

/** By the kind of the execution. */
export type Replayers = Partial<Readonly<Record<LogRecord["kind"], Replayer>>>;

/**
 * Runs an execution that has ended once more, in the name of the caller. Raises `execution_not_found`,
 * `execution_not_replayable`, and what its kind raises.
 */
export const replay = async (
  tenant: Tenant,
  id: string,
  deadline: number,
  others: Omit<Replayers, "function"> = {},
): Promise<Outcome> => {
  const record = await readLogRecord(tenant, id);
  if (record === null) throw new Fault("execution_not_found");
  const replayer = { ...others, function: replayFunction }[record.kind];
  if (replayer === undefined) {
    throw new Fault("execution_not_replayable", { message: `An execution of a ${record.kind} cannot be repeated.` });
  }
  if (record.replayable !== true) throw new Fault("execution_not_replayable");
  const { related_to } = record;
  if (related_to === null) {
    throw new Fault("execution_not_replayable", { message: "Its code is not stored on the platform." });
  }
  return replayer(tenant, { ...record, related_to }, record.inputs, { place: "replay", deadline });
};

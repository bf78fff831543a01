import { records } from "#shared/data/records/records";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { type Execution, executionsOf } from "./execution.ts";
import { LOG_OBJECT } from "./log-record.ts";

/** The record of an execution that has ended. */
export interface LogRecord {
  readonly _id: string;
  readonly name: string;
  readonly kind: Execution["kind"];
  readonly status: "completed" | "failed";
  readonly place: string;
  readonly created_by: { readonly id: string; readonly name: string };
  readonly created_date: Date;
  /** Null for code that is not stored. */
  readonly related_to: Execution["related_to"];
  readonly duration_ms: number;
  readonly inputs?: unknown;
  readonly output?: unknown;
  readonly error?: Record<string, unknown>;
  readonly lines?: unknown[];
  readonly replayable?: boolean;
}

/** Raises `execution_not_found` also for records that the caller may not see. */
export const readLogRecord = async (tenant: Tenant, id: string): Promise<LogRecord | null> => {
  const found = await tenant.collection<LogRecord>(LOG_OBJECT).findOne({ _id: id });
  if (found === null || found.created_by.id === tenant.caller.id) return found;
  try {
    await records(tenant).get(LOG_OBJECT, id);
  } catch (error) {
    if (error instanceof Fault && error.status < 500) throw new Fault("execution_not_found", { cause: error });
    throw error;
  }
  return found;
};

const ended = (record: LogRecord) => ({
  id: record._id,
  kind: record.kind,
  name: record.name,
  status: record.status,
  place: record.place,
  user: { id: record.created_by.id, name: record.created_by.name },
  started: new Date(record.created_date.getTime() - record.duration_ms).toISOString(),
  duration_ms: record.duration_ms,
  inputs: record.inputs ?? null,
  output: record.output ?? null,
  error: record.error ?? null,
  lines: record.lines ?? [],
  replayable: record.replayable === true,
});

const running = ({ _id, kind, name, place, user, started, inputs, replayable, status, progress }: Execution) => ({
  id: _id,
  kind,
  name,
  status: status === "waiting" ? status : ("running" as const),
  place,
  user: { id: user.id, name: user.name },
  started: started.toISOString(),
  duration_ms: null,
  inputs,
  output: null,
  error: null,
  lines: [...(progress?.lines ?? [])],
  replayable,
});

/** How an execution ran, or that it runs. Raises `execution_not_found`. */
export const readExecution = async (tenant: Tenant, id: string) => {
  const record = await readLogRecord(tenant, id);
  if (record !== null) return ended(record);
  const execution = await executionsOf(tenant).findOne({ _id: id, status: { $in: ["running", "waiting"] } });
  const { caller } = tenant;
  if (execution !== null && (execution.user.id === caller.id || caller.is_admin)) return running(execution);
  // It may have ended between the two reads.
  const late = await readLogRecord(tenant, id);
  if (late === null) throw new Fault("execution_not_found");
  return ended(late);
};

import { runnerLimits, type TriggerEvent } from "#contracts/runner";
import type { RecordMap, WriteMaps, WriteScope } from "#shared/data/records/writer/writer";
import { Fault, type Issue } from "#shared/foundation/faults";
import type { Once, Tenant } from "#shared/tenant/tenant";
import { type Executed, execute } from "../execute.ts";
import type { ExecutionError, Origin, Place } from "../outcome.ts";
import { codeOf, type Trigger } from "./installed.ts";

const MEMORY_MB = 256;

/** Time-outs. That of a sync trigger is also what its request has left. */
const SYNC_MS = 25_000;
const ASYNC_MS = 60_000;

/** What a trigger is run with. */
export interface TriggerBatch {
  readonly event: TriggerEvent;
  readonly object: string;
  readonly new_map: RecordMap;
  readonly old_map: RecordMap;
}

interface Running {
  readonly trigger: Pick<Trigger, "id" | "name" | "file_name">;
  readonly batch: TriggerBatch;
  /** What the log record shows. */
  readonly inputs: unknown;
  readonly origin: Omit<Origin, "place">;
  readonly place?: Place;
  /** Of a sync trigger. */
  readonly write?: WriteScope;
  /** Of a queued or repeated one. */
  readonly once?: Once;
}

/** Runs a trigger in the name of the caller; null if it is gone. Raises what `execute` raises. */
export const runTrigger = async (
  tenant: Tenant,
  { trigger, batch, inputs, origin, place = "trigger", write, once }: Running,
): Promise<Executed | { readonly earlier: string } | null> => {
  const code = await codeOf(tenant, trigger.id);
  if (code === null) return null;
  const job = {
    kind: "trigger",
    form: "trigger",
    name: trigger.file_name,
    related_to: { id: trigger.id, schema: "record_trigger", name: trigger.name },
    code,
    inputs,
    given: { trigger: { ...batch, new_map: { ...batch.new_map }, old_map: { ...batch.old_map } } },
    milliseconds: write === undefined ? ASYNC_MS : SYNC_MS,
    memory_mb: MEMORY_MB,
    ...(write !== undefined && { write }),
  } as const;
  return execute(tenant, job, { ...origin, place }, once);
};

const failed = (issue: Issue): Fault => new Fault("validation_failed", { issues: [issue] });

/** The refusal of a write by the code of a trigger, or its failure. */
const faultOf = (
  { file_name }: Trigger,
  maps: WriteMaps,
  error: ExecutionError | undefined,
  execution_id: string,
): Fault => {
  const ids = Object.keys(maps.operation === "delete" ? maps.old_map : maps.new_map);
  const ctx = { trigger: file_name, execution_id };
  if (error?.kind === "refused") {
    const { field, record_id, message } = error;
    const named = record_id !== undefined && ids.includes(record_id) ? record_id : undefined;
    const one = named ?? (ids.length === 1 ? ids[0] : undefined);
    const withField = field !== undefined && one !== undefined && maps.operation !== "delete";
    const loc = [...maps.at(one), ...(withField ? [field] : [])];
    return failed({
      loc,
      msg: message,
      type: "trigger_refused",
      ctx: { ...ctx, ...(field !== undefined && { field }) },
    });
  }
  const { type = "Error", message = "" } = error ?? {};
  return failed({
    loc: maps.at(),
    msg: `The trigger "${file_name}" failed. ${type}: ${message}`,
    type: "trigger_failed",
    ctx: { ...ctx, error_type: type },
  });
};

/** A limit that keeps a trigger from running refuses the write, as a failure does. */
const faultOfLimit = ({ file_name }: Trigger, maps: WriteMaps, error: unknown): unknown => {
  if (!(error instanceof Fault) || error.code !== "execution_limit") return error;
  const msg = `The trigger "${file_name}" could not run. ${error.message}`;
  return failed({ loc: maps.at(), msg, type: "trigger_failed", ctx: { trigger: file_name, error_type: error.code } });
};

const refuseLarge = ({ file_name }: Trigger, { at }: WriteMaps, batch: TriggerBatch): void => {
  if (Buffer.byteLength(JSON.stringify([batch.new_map, batch.old_map])) <= runnerLimits.maps) return;
  const most = runnerLimits.maps / 1024 / 1024;
  const msg = `The records have more than ${most} MiB, which is too much for the trigger "${file_name}". Send fewer at once.`;
  throw failed({ loc: at(), msg, type: "trigger_limit", ctx: { trigger: file_name } });
};

/**
 * Runs a sync trigger for a write, and gives `new_map` as it leaves it. Raises `validation_failed` if it refuses the
 * write or fails, `too_many_functions` and `dependency_unavailable`.
 */
export const runSync = async (
  trigger: Trigger,
  event: TriggerEvent,
  maps: WriteMaps,
  write: WriteScope,
  origin: Omit<Origin, "place">,
): Promise<RecordMap> => {
  const { target, new_map, old_map } = maps;
  const batch = { event, object: target.object, new_map, old_map };
  refuseLarge(trigger, maps, batch);
  const records = Object.keys(maps.operation === "delete" ? old_map : new_map);
  const inputs = { event, object: target.object, records };
  try {
    const done = await runTrigger(target.tenant, { trigger, batch, inputs, origin, write });
    if (done === null || "earlier" in done) return new_map;
    if (done.status === "completed") return done.new_map ?? new_map;
    throw faultOf(trigger, maps, done.error, done.execution_id);
  } catch (error) {
    throw faultOfLimit(trigger, maps, error);
  }
};

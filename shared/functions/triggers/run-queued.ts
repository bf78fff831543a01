import { type RecordTriggerMessage, recordTriggerMessage } from "#contracts/record-messages";
import { schemaOf } from "#shared/data/schema/schema";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import type { Once, Tenant, TenantDatabase } from "#shared/tenant/tenant";
import { earlierOutcome } from "../executions/earlier.ts";
import { noteRefused, queuedTenant } from "../executions/refused.ts";
import type { Replayer } from "../replay.ts";
import { storedTrigger, type Trigger, triggerOf } from "./installed.ts";
import { runTrigger, type TriggerBatch } from "./run-trigger.ts";

/** Whose message it is, and how long its function may still run. */
interface Delivery {
  readonly message_id: string;
  readonly milliseconds: number;
  /** The execution of the message. */
  readonly onceIn: (tenant: Tenant) => Once;
}

/** For the log record and the end of the message. */
const MARGIN_MS = 8_000;

/** Sensitive values must not be read in a log record, so that the records are named only. */
const loggedInputs = async (tenant: Tenant, batch: TriggerBatch): Promise<unknown> => {
  const schema = await schemaOf(tenant, batch.object);
  const isSensitive = Object.values(schema?.properties ?? {}).some(({ sensitive }) => sensitive === true);
  const { event, object, new_map, old_map } = batch;
  return isSensitive ? { event, object, records: Object.keys({ ...old_map, ...new_map }) } : batch;
};

const executionOf = ({ id, name, file_name }: Pick<Trigger, "id" | "name" | "file_name">) =>
  ({
    kind: "trigger",
    name: file_name,
    related_to: { id, schema: "record_trigger", name },
    place: "trigger",
  }) as const;

/**
 * Runs an async trigger in the name of who wrote the records. A trigger that is gone, or not active any more, is not
 * run. How it goes is in its log record. Raises `forbidden` for users who may not act any more, `too_many_functions`
 * and
 * `dependency_unavailable`.
 */
export const runQueuedTrigger = async (
  payload: RecordTriggerMessage,
  database: TenantDatabase,
  { message_id, milliseconds, onceIn }: Delivery,
): Promise<void> => {
  const deadline = nowMillis() + milliseconds - MARGIN_MS;
  const { trigger_id, acting, chain, event, object, new_map, old_map } = payload;
  const tenant = await queuedTenant(database, acting, message_id, async () => {
    const stored = await storedTrigger(database, trigger_id);
    return stored === null ? null : executionOf(stored);
  });
  const trigger = await triggerOf(tenant, trigger_id);
  if (trigger === null) {
    log.info({ organization: database.organization_id, trigger: trigger_id }, "a queued trigger is gone");
    return;
  }
  const batch = { event, object, new_map, old_map };
  const inputs = await loggedInputs(tenant, batch);
  try {
    await runTrigger(tenant, { trigger, batch, inputs, origin: { deadline, chain }, once: onceIn(tenant) });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "execution_limit") throw error;
    await noteRefused(tenant, executionOf(trigger), error.message);
  }
};

const loggedBatch = recordTriggerMessage.payload.pick({ event: true, object: true, new_map: true, old_map: true });

const notReplayable = (message: string): Fault => new Fault("execution_not_replayable", { message });

/**
 * Runs an async trigger again with the records of an execution, in the name of the caller. Raises
 * `execution_not_replayable` for a sync trigger, whose records belong to a write, and for one whose records were not
 * kept or that is gone.
 */
export const replayTrigger: Replayer = async (tenant, { related_to }, inputs, { deadline }) => {
  const batch = loggedBatch.safeParse(inputs);
  if (!batch.success) throw notReplayable("The records of this execution were not kept, so it cannot be repeated.");
  const trigger = await triggerOf(tenant, related_to.id);
  const given = {
    batch: batch.data,
    inputs: batch.data,
    origin: { deadline },
    place: "replay",
    once: tenant.once,
  } as const;
  const done = trigger === null ? null : await runTrigger(tenant, { trigger, ...given });
  if (done === null) throw notReplayable("The trigger is gone, or not active.");
  if ("earlier" in done) return earlierOutcome(tenant, done.earlier);
  const { execution: _, new_map: __, ...outcome } = done;
  return outcome;
};

import type { StartAutomation } from "#contracts/record-messages";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { noteRefused, queuedTenant } from "#shared/functions/functions";
import type { Once, Tenant, TenantDatabase } from "#shared/tenant/tenant";
import { activeAutomation, automationOf } from "./load.ts";
import { startAutomation } from "./start.ts";

/** The message, and how long its function may still run. */
interface Delivery {
  readonly message_id: string;
  readonly milliseconds: number;
  /** The run of the message. */
  readonly onceIn: (tenant: Tenant) => Once;
}

/** For the log record and the end of the message. */
const MARGIN_MS = 10_000;

/** What expressions read as `inputs`. */
const inputsOf = ({ event, object, new_map, old_map }: StartAutomation) => ({
  event,
  object,
  records: Object.keys({ ...old_map, ...new_map }).map((id) => ({
    id,
    record: new_map[id] ?? null,
    old: old_map[id] ?? null,
  })),
});

/**
 * Runs an automation that written records start, in the name of who wrote them. One that is gone, or not active any
 * more, is not run. How it goes is in its log record. Raises `forbidden` for users who may not act any more,
 * `too_many_functions` and `automation_invalid`.
 */
export const runQueuedAutomation = async (
  payload: StartAutomation,
  database: TenantDatabase,
  { message_id, milliseconds, onceIn }: Delivery,
): Promise<void> => {
  const deadline = nowMillis() + milliseconds - MARGIN_MS;
  const { automation_id, acting, chain } = payload;
  const { organization_id } = database;
  const stored = await activeAutomation(database, automation_id);
  if (stored === null) {
    log.info({ organization: organization_id, automation: automation_id }, "a queued automation is gone");
    return;
  }
  const automation = automationOf(stored);
  const { id, name } = automation;
  const execution = {
    kind: "automation",
    name,
    related_to: { id, schema: "automation", name },
    place: "trigger",
  } as const;
  const tenant = await queuedTenant(database, acting, message_id, async () => execution);
  try {
    const origin = { place: "trigger", deadline, chain } as const;
    await startAutomation(tenant, automation, inputsOf(payload), origin, onceIn(tenant));
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "execution_limit") throw error;
    await noteRefused(tenant, execution, error.message);
  }
};

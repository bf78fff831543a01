import { v7 as uuidv7 } from "uuid";
import type { Actor } from "#contracts/actor";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { deferredTenant, newRecord, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import type { ExecutionError } from "../outcome.ts";
import type { Execution } from "./execution.ts";
import { LOG_OBJECT } from "./log-record.ts";

type Refused = Pick<Execution, "kind" | "name" | "related_to" | "place">;

const writeLog = async (
  { collection }: Pick<TenantDatabase, "collection">,
  user: { readonly id: string; readonly name: string },
  execution: Refused,
  error: ExecutionError,
): Promise<void> => {
  const id = uuidv7();
  const by = { id: user.id, schema: "user", name: user.name };
  const { message } = error;
  const fields = { ...execution, execution_id: id, level: "error", status: "failed", message, replayable: false };
  const record = newRecord(id, { ...fields, lines: [], error, duration_ms: 0 }, { by, at: now() });
  await collection(LOG_OBJECT).insertOne(record as never);
};

/** Writes the log record of an execution that a limit has kept from starting, where nobody waits for an answer. */
export const noteRefused = (tenant: Tenant, execution: Refused, message: string): Promise<void> =>
  writeLog(tenant, tenant.caller, execution, { kind: "limit", type: "execution_limit", message });

/**
 * The tenant of an execution that a record has set off. If its user or its app may not act any more, a log record says
 * so. `describe`: what was to be executed; null if that is gone. Raises what `deferredTenant` raises.
 */
export const queuedTenant = async (
  database: TenantDatabase,
  acting: Actor,
  request_id: string,
  describe: () => Promise<Refused | null>,
): Promise<Tenant> => {
  try {
    return await deferredTenant(database.organization_id, acting, request_id);
  } catch (error) {
    const execution = error instanceof Fault && error.code === "forbidden" ? await describe() : null;
    if (error instanceof Fault && execution !== null) {
      const { user_id: id } = acting;
      const users = database.collection<{ _id: string; name?: string }>("user");
      const { name = "" } = (await users.findOne({ _id: id }, { projection: { name: 1 } })) ?? {};
      await writeLog(database, { id, name }, execution, {
        kind: "exception",
        type: error.code,
        message: error.message,
      });
    }
    throw error;
  }
};

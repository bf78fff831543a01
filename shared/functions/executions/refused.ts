import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { newRecord, type Tenant } from "#shared/tenant/tenant";
import type { Execution } from "./execution.ts";
import { LOG_OBJECT } from "./log-record.ts";

/** Writes the log record of an execution that a limit has kept from starting, where nobody waits for an answer. */
export const noteRefused = async (
  tenant: Tenant,
  execution: Pick<Execution, "kind" | "name" | "related_to" | "place">,
  message: string,
): Promise<void> => {
  const id = uuidv7();
  const { caller } = tenant;
  const by = { id: caller.id, schema: "user", name: caller.name };
  const fields = { ...execution, execution_id: id, level: "error", status: "failed", message, replayable: false };
  const error = { kind: "limit", type: "execution_limit", message };
  const record = newRecord(id, { ...fields, lines: [], error, duration_ms: 0 }, { by, at: now() });
  await tenant.collection(LOG_OBJECT).insertOne(record as never);
};

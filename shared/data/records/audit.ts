import type { ClientSession } from "mongodb";
import { originOf, type TrailEvent, writeTrail } from "#shared/trail/trail";
import { type RecordChange, recordedChangesOf } from "./recorded-changes.ts";
import type { Target } from "./target.ts";

const actionOf = ({ before, after }: RecordChange): "created" | "updated" | "deleted" => {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
};

const eventOf = (target: Target, written: RecordChange): TrailEvent[] => {
  const record = written.after ?? written.before;
  const changes = recordedChangesOf(target.schema, written, target.tenant.state.sensitive_names ?? []);
  const changed = Object.keys(changes);
  // Values were sent, but equal to the stored ones.
  const isUnchanged = written.before !== null && written.after !== null && changed.length === 0;
  if (record === null || isUnchanged) return [];
  const isShown = typeof record.name === "string" && target.schema.properties.name?.sensitive !== true;
  const called = isShown ? { called: String(record.name) } : {};
  return [{ action: actionOf(written), object: target.object, record_id: record._id, ...called, changes }];
};

/** Writes an audit entry for each record that a write creates, changes or deletes, in its transaction. */
export const auditChanges = (target: Target, written: readonly RecordChange[], session: ClientSession): Promise<void> =>
  writeTrail(
    target.tenant,
    originOf(target.tenant),
    written.flatMap((one) => eventOf(target, one)),
    session,
  );

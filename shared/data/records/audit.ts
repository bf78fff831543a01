import type { ClientSession, Document } from "mongodb";
import { isObject } from "#shared/foundation/is-object";
import { originOf, type TrailEvent, writeTrail } from "#shared/trail/trail";
import { authorityFields, authorityObjects } from "./authority.ts";
import { type RecordChange, recordedChangesOf } from "./recorded-changes.ts";
import type { Target } from "./target.ts";

const requirementOf = (record: Document | null): boolean =>
  isObject(record?.settings) && record.settings.require_second_factor === true;

/** Audited are changes of rights, of the required second factor, and everything that a superuser changes. */
const isAudited = (
  { tenant, object }: Target,
  { before, after }: RecordChange,
  changed: readonly string[],
): boolean => {
  if (tenant.caller.is_superuser || authorityObjects.has(object)) return true;
  if (object === "user") return after === null || authorityFields.some((name) => changed.includes(name));
  return object === "organization" && requirementOf(before) !== requirementOf(after);
};

const actionOf = ({ before, after }: RecordChange): "created" | "updated" | "deleted" => {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
};

const eventOf = (target: Target, written: RecordChange): TrailEvent[] => {
  const record = written.after ?? written.before;
  const changes = recordedChangesOf(target.schema, written);
  const changed = Object.keys(changes);
  // Values were sent, but equal to the stored ones.
  const isUnchanged = written.before !== null && written.after !== null && changed.length === 0;
  if (record === null || isUnchanged || !isAudited(target, written, changed)) return [];
  const called = typeof record.name === "string" ? { called: record.name } : {};
  return [{ action: actionOf(written), object: target.object, record_id: record._id, ...called, changes }];
};

/** Writes the audit entries of a write, in its transaction. */
export const auditChanges = (target: Target, written: readonly RecordChange[], session: ClientSession): Promise<void> =>
  writeTrail(
    target.tenant,
    originOf(target.tenant),
    written.flatMap((one) => eventOf(target, one)),
    session,
  );

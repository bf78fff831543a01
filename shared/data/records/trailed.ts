import type { ClientSession, Document } from "mongodb";
import { originOf, type TrailEvent, writeTrail } from "#shared/trail/trail";
import { changesOf } from "./changes.ts";
import type { StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";
import { isObject } from "./values/json.ts";

/** One record before and after a write: null is one that is not there. */
export interface Changed {
  readonly before: StoredRecord | null;
  readonly after: StoredRecord | null;
}

/** Fields of a user that decide what they may do. */
export const authority = ["is_account_owner", "is_account_admin", "is_active", "permissions", "role"];

/** Objects whose records decide what users may do. */
export const rights: ReadonlySet<string> = new Set(["permission", "role"]);

const requirementOf = (record: Document | null): boolean =>
  isObject(record?.settings) && record.settings.require_second_factor === true;

/** Whether a change belongs into the trail: it is one of authority, or an operator of the platform has made it. */
const isDue = ({ tenant, object }: Target, { before, after }: Changed, changed: readonly string[]): boolean => {
  if (tenant.caller.is_superuser || rights.has(object)) return true;
  if (object === "user") return after === null || authority.some((name) => changed.includes(name));
  return object === "organization" && requirementOf(before) !== requirementOf(after);
};

const actionOf = ({ before, after }: Changed): "created" | "updated" | "deleted" => {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
};

const eventOf = (target: Target, written: Changed): TrailEvent[] => {
  const record = written.after ?? written.before;
  const changes = changesOf(target.schema, written);
  const changed = Object.keys(changes);
  // What is as it was before is no change, though it was sent.
  const isNone = written.before !== null && written.after !== null && changed.length === 0;
  if (record === null || isNone || !isDue(target, written, changed)) return [];
  const called = typeof record.name === "string" ? { called: record.name } : {};
  return [{ action: actionOf(written), object: target.object, record_id: record._id, ...called, changes }];
};

/** Writes down in the audit trail what belongs there, in the transaction of the write. */
export const trail = (target: Target, written: readonly Changed[], session: ClientSession): Promise<void> =>
  writeTrail(
    target.tenant,
    originOf(target.tenant),
    written.flatMap((one) => eventOf(target, one)),
    session,
  );

import type { Document } from "mongodb";
import { nameMaskOf, seesNamesOf, VALUE_MASK, withoutNames } from "#shared/data/access/access";
import { cursorBatches, cutRows } from "#shared/foundation/cut-rows";
import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { type Tenant, withSlowReadSlot } from "#shared/tenant/tenant";
import { type HistoryPage, readHistory } from "#shared/trail/trail";
import { collectionOf, permitted } from "./stored-record.ts";
import { type Target, targetOf } from "./target.ts";

/** One change of a record, as callers see it. */
export interface HistoryEntry {
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** Null for the platform. */
  readonly by: { readonly id: string; readonly schema: string; readonly name: string } | null;
  readonly action: string;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly request_id: string | null;
}

export interface History {
  readonly entries: HistoryEntry[];
  readonly truncated: boolean;
}

/** The changes of the fields that the caller may read, without names in references that the caller does not see. */
const visibleChanges = ({ schema, access, object }: Target, changes: unknown): Record<string, unknown> => {
  const visible: Record<string, unknown> = {};
  if (!isObject(changes)) return visible;
  for (const [name, change] of Object.entries(changes)) {
    const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (field === undefined || !access.fieldReadable(object, name)) continue;
    // The entry may be older than this setting of the field.
    if (field.sensitive === true || field.encrypted === true) {
      visible[name] = { hidden: true };
      continue;
    }
    const mask = nameMaskOf(field, access.named);
    const isMasked = mask !== null && isObject(change) && "from" in change;
    visible[name] = isMasked ? { from: withoutNames(change.from, mask), to: withoutNames(change.to, mask) } : change;
  }
  return visible;
};

const entryOf =
  (target: Target) =>
  ({ at, by, action, changes, request_id }: Document): HistoryEntry => ({
    at: at.toISOString(),
    by: by && !seesNamesOf(target.access, "user") ? { ...by, name: VALUE_MASK } : (by ?? null),
    action,
    changes: visibleChanges(target, changes),
    request_id: request_id ?? null,
  });

/** See `Records.history`. */
export const recordHistory = async (
  tenant: Tenant,
  object: string,
  id: string,
  page: HistoryPage,
): Promise<History> => {
  const target = await targetOf(tenant, object, "read");
  const found = await collectionOf(target).findOne(permitted(target, { _id: id }), { projection: { _id: 1 } });
  if (found === null) throw new Fault("record_not_found");
  return withSlowReadSlot(tenant, async (maxTimeMS) => {
    const cursor = readHistory(tenant, target.object, id, page, maxTimeMS);
    const cut = await cutRows(cursorBatches(cursor), entryOf(target));
    // An audit entry is far smaller than a reply.
    if (cut === null) throw new Error("An audit entry is larger than a reply may be.");
    return { entries: cut.rows, truncated: cut.truncated };
  });
};

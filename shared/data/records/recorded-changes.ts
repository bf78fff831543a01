import { isDeepStrictEqual } from "node:util";
import { namedBut, nameMaskOf, readHolderOf, withoutNames } from "#shared/data/access/access";
import { type ObjectSchema, readOnlySystemFields, systemFields } from "#shared/data/schema/schema";
import { isSecretName, withoutSecrets } from "#shared/foundation/secret-names";
import type { Change, RecordedChanges } from "#shared/trail/trail";
import type { StoredRecord } from "./stored-record.ts";

/** In bytes of JSON, for one audit entry. */
const LARGEST_CHANGES = 64 * 1024;

/** A record before and after a write. `before` is null for a new record, `after` for a deleted one. */
export interface RecordChange {
  readonly before: StoredRecord | null;
  readonly after: StoredRecord | null;
}

/** The fields that differ. For new and deleted records all fields with a value, without system fields. */
const changedFields = ({ properties }: ObjectSchema, { before, after }: RecordChange): string[] => {
  const isWhole = before === null || after === null;
  return Object.keys(properties).filter((name) => {
    if (isWhole ? Object.hasOwn(systemFields, name) : readOnlySystemFields.has(name)) return false;
    return !isDeepStrictEqual(before?.[name] ?? null, after?.[name] ?? null);
  });
};

const isHidden = ({ api_name, properties }: ObjectSchema, name: string): boolean => {
  const field = properties[name];
  return (
    field?.sensitive === true ||
    field?.encrypted === true ||
    isSecretName(name) ||
    readHolderOf(api_name, name) !== undefined
  );
};

/**
 * The changes of a record by field, without secrets. References to the objects in `sensitiveNames` have no names.
 */
export const recordedChangesOf = (
  schema: ObjectSchema,
  change: RecordChange,
  sensitiveNames: readonly string[],
): RecordedChanges => {
  const named = namedBut("all", sensitiveNames);
  let left = LARGEST_CHANGES;
  const recorded: Record<string, Change> = {};
  for (const name of changedFields(schema, change)) {
    if (isHidden(schema, name)) {
      recorded[name] = { hidden: true };
      continue;
    }
    const field = schema.properties[name];
    const mask = field === undefined ? null : nameMaskOf(field, named);
    const shown = (record: StoredRecord | null): unknown => {
      const value: unknown = record?.[name] ?? null;
      return withoutSecrets(mask === null ? value : withoutNames(value, mask));
    };
    const [from, to] = [shown(change.before), shown(change.after)];
    const bytes = Buffer.byteLength(JSON.stringify([from, to]));
    recorded[name] = bytes > left ? { cut: true } : { from, to };
    if (bytes <= left) left -= bytes;
  }
  return recorded;
};

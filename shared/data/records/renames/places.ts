import type { AnyBulkWriteOperation, Document, Filter } from "mongodb";
import { type Field, isReference, type ObjectSchema } from "#shared/data/schema/schema";
import { isObject } from "#shared/foundation/is-object";
import { READERS_FIELD, readerKey } from "#shared/tenant/tenant";
import { TRAIL_OBJECT } from "#shared/trail/trail";
import type { StoredRecord } from "../stored-record.ts";

/** A reference as it is stored. */
export interface StoredReference {
  readonly id: string;
  readonly schema: string;
  readonly name: string | null;
}

/** A field that may hold references to the records of one object. */
export interface Place {
  /** The object that has the field. */
  readonly object: string;
  readonly field: string;
  /** Matches the records with a reference to one of the targets, by an index. */
  referring(targets: readonly string[]): Filter<StoredRecord>;
  /** Sets the name in the references to one target, in those of the records that still refer to it. */
  renaming(target: string, name: string | null, records: readonly string[]): AnyBulkWriteOperation<StoredRecord>;
}

const isStored = (value: unknown): value is Document & { id: string; schema: string } =>
  isObject(value) && typeof value.id === "string" && typeof value.schema === "string";

/** The references in a stored value: of a lookup, of a list of lookups, or of `shared_with`. */
export const referencesIn = (value: unknown): StoredReference[] => {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items
    .flatMap((item) => (isObject(item) && !isStored(item) ? [item.user, item.role] : [item]))
    .filter(isStored)
    .map(({ id, schema, name }) => ({ id, schema, name: typeof name === "string" ? name : null }));
};

const update = (
  records: readonly string[],
  match: Document,
  set: Document,
  arrayFilters?: Document[],
): AnyBulkWriteOperation<StoredRecord> => ({
  updateMany: {
    filter: { _id: { $in: [...records] }, ...match } as Filter<StoredRecord>,
    update: { $set: set } as Document,
    ...(arrayFilters && { arrayFilters }),
  },
});

const single = (object: string, field: string, target: string): Place => ({
  object,
  field,
  referring: (targets) => ({ [`${field}.id`]: { $in: [...targets] } }) as Filter<StoredRecord>,
  renaming: (id, name, records) =>
    update(records, { [`${field}.id`]: id, [`${field}.schema`]: target }, { [`${field}.name`]: name }),
});

const several = (object: string, field: string): Place => ({
  object,
  field,
  referring: (targets) => ({ [`${field}.id`]: { $in: [...targets] } }) as Filter<StoredRecord>,
  renaming: (id, name, records) =>
    update(records, { [`${field}.id`]: id }, { [`${field}.$[reference].name`]: name }, [{ "reference.id": id }]),
});

const shares = (object: string, holder: "user" | "role"): Place => ({
  object,
  field: "shared_with",
  referring: (targets) => ({ [READERS_FIELD]: { $in: targets.map(readerKey[holder]) } }) as Filter<StoredRecord>,
  renaming: (id, name, records) =>
    update(records, { [`shared_with.${holder}.id`]: id }, { [`shared_with.$[share].${holder}.name`]: name }, [
      { [`share.${holder}.id`]: id },
    ]),
});

/** Who wrote a record is told by the name of that time, as in the history. */
const keepsNames: ReadonlySet<string> = new Set(["created_by", "modified_by"]);

const placeOf = (object: string, field: Field, target: string): Place[] => {
  const { api_name, format, schema } = field;
  if (keepsNames.has(api_name)) return [];
  if (api_name === "shared_with" && field.system === true)
    return target === "user" || target === "role" ? [shares(object, target)] : [];
  if (!isReference(field)) return [];
  if (format === "compound_lookup") return [single(object, api_name, target)];
  if (schema !== target) return [];
  return [format === "lookup_list" ? several(object, api_name) : single(object, api_name, target)];
};

/** The fields that may refer to records of `target`. Audit entries tell what was, so they keep the names of their time. */
export const placesOf = (schemas: readonly ObjectSchema[], target: string): Place[] =>
  schemas
    .filter(({ api_name }) => api_name !== TRAIL_OBJECT)
    .flatMap(({ api_name, properties }) =>
      Object.values(properties).flatMap((field) => placeOf(api_name, field, target)),
    );

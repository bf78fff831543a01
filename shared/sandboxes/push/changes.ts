import { isDeepStrictEqual } from "node:util";
import { writeOnlyFieldsOf } from "#shared/data/access/access";
import type { PushedRecords } from "#shared/data/records/push/push";
import { type Field, isReference, type ObjectSchema } from "#shared/data/schema/schema";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { comparable } from "../compare/difference.ts";
import { isCopied } from "../copying/configuration.ts";
import type { Belongings, RecordKind, StoredRecord } from "./belongings.ts";
import { mergeMasked } from "./merge-masked.ts";

/** A masked value that the target does not have either. */
export interface LeftOut {
  readonly kind: RecordKind;
  readonly id: string;
  readonly path: readonly (string | number)[];
}

export interface RecordChanges {
  readonly kind: RecordKind;
  readonly records: PushedRecords;
  readonly counts: { readonly created: number; readonly updated: number; readonly unchanged: number };
  readonly leftOut: readonly LeftOut[];
}

/** Fields that a push may write. The platform numbers and dates records; owners and shares are those of the target. */
const isPushed = (object: string, { api_name, encrypted, format, system }: Field): boolean =>
  system !== true && encrypted !== true && format !== "auto-number" && !writeOnlyFieldsOf(object).includes(api_name);

const areEqual = (field: Field, one: unknown, other: unknown): boolean =>
  isReference(field)
    ? isDeepStrictEqual(comparable(one ?? null), comparable(other ?? null))
    : isDeepStrictEqual(one ?? null, other ?? null);

/** A stored value as a caller sends it. */
const sentForm = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

interface Comparison {
  /** The fields that differ, as a caller sends them. Null removes the value. */
  readonly fields: Record<string, unknown>;
  readonly leftOut: readonly LeftOut["path"][];
}

const compare = (
  fields: readonly Field[],
  kind: RecordKind,
  pushed: StoredRecord,
  stored: StoredRecord | null,
): Comparison => {
  const changed: Record<string, unknown> = {};
  const leftOut: LeftOut["path"][] = [];
  for (const field of fields) {
    const { api_name } = field;
    const [from, to] = [stored?.[api_name] ?? undefined, pushed[api_name] ?? null];
    // The copy came without a value, which says nothing about the target's.
    if (to === null && !isCopied(kind, field)) continue;
    const merged = isReference(field) ? { value: to, leftOut: [] } : mergeMasked(to, from);
    leftOut.push(...merged.leftOut.map((path) => [api_name, ...path]));
    if (merged.value === undefined || (stored !== null && areEqual(field, merged.value, from))) continue;
    changed[api_name] = sentForm(merged.value);
  }
  return { fields: changed, leftOut };
};

/** Values in fields that the target does not have would be lost. */
const lostFields = (
  kind: RecordKind,
  source: ObjectSchema,
  target: ObjectSchema,
  records: readonly StoredRecord[],
): Issue[] =>
  Object.values(source.properties)
    .filter((field) => isPushed(kind, field) && !Object.hasOwn(target.properties, field.api_name))
    .filter(({ api_name }) => records.some((record) => (record[api_name] ?? null) !== null))
    .map(({ api_name }) => ({
      loc: ["body", kind, api_name],
      msg: `The target's object "${kind}" has no field "${api_name}", and the field does not belong to the app.`,
      type: "unknown_field",
    }));

/** Raises `conflict` for records that hold a unique value which another record of the target holds. */
const refuseTaken = async (
  target: Tenant,
  kind: RecordKind,
  fields: readonly Field[],
  records: readonly StoredRecord[],
): Promise<void> => {
  const pushed = new Set(records.map(({ _id }) => _id));
  for (const { api_name } of fields.filter(({ unique }) => unique === true)) {
    const holders = new Map(records.map((record) => [record[api_name] ?? null, record]));
    holders.delete(null);
    if (holders.size === 0) continue;
    const found = await target
      .collection<StoredRecord>(kind)
      .find({ [api_name]: { $in: [...holders.keys()] }, _id: { $nin: [...pushed] } }, { projection: { [api_name]: 1 } })
      .limit(1)
      .toArray();
    const [taken] = found;
    if (taken === undefined) continue;
    // A record is found by its value unless that is a date or a reference.
    const own = holders.get(taken[api_name]);
    const called = own === undefined ? "one" : `"${String(own.name)}" (id ${own._id})`;
    const message =
      `The target has another "${kind}" record (id ${taken._id}) with the same "${api_name}" as ${called} of the sandbox. ` +
      "Change one of them.";
    throw new Fault("conflict", { message });
  }
};

/** What the target's records lack of those of the sandbox. `model`: of the target, as the push leaves it. */
export const recordChanges = async (
  target: Tenant,
  { schemas, records }: Belongings,
  model: Readonly<Record<string, ObjectSchema>>,
): Promise<RecordChanges[]> => {
  const issues: Issue[] = [];
  const all: RecordChanges[] = [];
  for (const [kind, pushed] of records) {
    const [from, to] = [schemas[kind], model[kind]];
    if (pushed.length === 0 || from === undefined) continue;
    if (to === undefined) throw new Fault("object_not_found", { message: `The target has no object "${kind}".` });
    issues.push(...lostFields(kind, from, to, pushed));
    const fields = Object.values(to.properties).filter(
      (field) =>
        isPushed(kind, field) &&
        Object.hasOwn(from.properties, field.api_name) &&
        isPushed(kind, from.properties[field.api_name] ?? field),
    );
    await refuseTaken(target, kind, fields, pushed);
    all.push(await changesOf(target, kind, fields, pushed));
  }
  refuseIfAny(issues);
  return all;
};

const changesOf = async (
  target: Tenant,
  kind: RecordKind,
  fields: readonly Field[],
  pushed: readonly StoredRecord[],
): Promise<RecordChanges> => {
  const ids = pushed.map(({ _id }) => _id);
  const stored = await target
    .collection<StoredRecord>(kind)
    .find({ _id: { $in: ids } })
    .toArray();
  const byId = new Map(stored.map((record) => [record._id, record]));
  const compared = pushed.map((record) => {
    const before = byId.get(record._id) ?? null;
    return { id: record._id, before, ...compare(fields, kind, record, before) };
  });
  const created = compared.filter(({ before }) => before === null);
  const changed = compared.flatMap(({ before, fields: values }) =>
    before === null || Object.keys(values).length === 0 ? [] : [{ before, fields: values }],
  );
  return {
    kind,
    records: { object: kind, created: created.map(({ id, fields: values }) => ({ id, fields: values })), changed },
    counts: {
      created: created.length,
      updated: changed.length,
      unchanged: pushed.length - created.length - changed.length,
    },
    leftOut: compared.flatMap(({ id, leftOut }) => leftOut.map((path) => ({ kind, id, path }))),
  };
};

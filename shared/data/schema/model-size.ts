import type { ClientSession } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { indexPlanOf } from "./index-plan.ts";
import { type ObjectSchema, SCHEMAS_COLLECTION } from "./object-schema.ts";
import { readValueLists } from "./value-lists.ts";

/** In bytes of JSON. Replies hold any object whole, and environments hold all of them in memory. */
const LARGEST_OBJECT = 512 * 1024;
const LARGEST_MODEL = 12 * 1024 * 1024;

/** MongoDB has at most 64 indexes in a collection. The rest is left to later releases and to operators. */
const MOST_INDEXES = 50;

type Reader = Pick<TenantDatabase, "collection">;

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const tooLarge = (msg: string): Fault =>
  new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "model_too_large" }] });

/** How many fields name each value list. */
const usesOfLists = async (tenant: Reader, session: ClientSession): Promise<ReadonlyMap<string, number>> => {
  const uses = await tenant
    .collection(SCHEMAS_COLLECTION)
    .aggregate(
      [
        { $project: { field: { $objectToArray: "$properties" } } },
        { $unwind: "$field" },
        { $match: { "field.v.global_list_name": { $exists: true } } },
        { $group: { _id: "$field.v.global_list_name", fields: { $sum: 1 } } },
      ],
      { session },
    )
    .toArray();
  return new Map(uses.map(({ _id, fields }) => [String(_id), Number(fields)]));
};

/** With the values of a list once for each field that names it, as replies show them. */
const modelBytes = async (tenant: Reader, session: ClientSession): Promise<number> => {
  const [stored] = await tenant
    .collection(SCHEMAS_COLLECTION)
    .aggregate([{ $group: { _id: null, bytes: { $sum: { $bsonSize: "$$ROOT" } } } }], { session })
    .toArray();
  const uses = await usesOfLists(tenant, session);
  const lists = await readValueLists(tenant, [...uses.keys()], session);
  const shown = [...uses].map(([name, fields]) => fields * bytesOf(lists.get(name) ?? []));
  return shown.reduce((sum, bytes) => sum + bytes, Number(stored?.bytes ?? 0));
};

/**
 * Raises `validation_failed` if one of the objects, which have the values of their lists, or the model as it is stored
 * in the transaction has grown too large.
 */
export const refuseTooLarge = async (
  tenant: Reader,
  objects: readonly ObjectSchema[],
  session: ClientSession,
): Promise<void> => {
  const large = objects.find((schema) => bytesOf(schema) > LARGEST_OBJECT);
  if (large !== undefined) {
    throw tooLarge(
      `The object "${large.api_name}" would take more than ${LARGEST_OBJECT} bytes with its fields, values and rules.`,
    );
  }
  if ((await modelBytes(tenant, session)) > LARGEST_MODEL)
    throw tooLarge(`All objects together take at most ${LARGEST_MODEL} bytes.`);
};

/** Raises `validation_failed` if the changed object has more indexes than before, and too many. */
export const refuseTooManyIndexes = (before: ObjectSchema | null, after: ObjectSchema): void => {
  const indexes = indexPlanOf(after).indexes.length;
  if (indexes <= MOST_INDEXES || (before !== null && indexes <= indexPlanOf(before).indexes.length)) return;
  const msg = `The object "${after.api_name}" would have ${indexes} indexes, and at most ${MOST_INDEXES} are possible: those of lookups, of unique and indexed fields, and of system fields.`;
  throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "too_many_indexes" }] });
};

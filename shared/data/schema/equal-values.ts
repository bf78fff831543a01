import type { Document } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { fieldIndexOf } from "./field-index.ts";
import type { Field } from "./object-schema.ts";

const MOST_IDS = 20;

/** Records that hold a value of a field which another record holds too. */
export interface EqualValues {
  readonly count: number;
  /** Some of their ids. */
  readonly ids: readonly string[];
}

export const equalValues = async (
  { collection }: Pick<TenantDatabase, "collection">,
  object: string,
  field: Field,
  maxTimeMS?: number,
): Promise<EqualValues> => {
  const path = fieldIndexOf(field)?.path ?? field.api_name;
  const [found] = await collection(object)
    .aggregate<Document>(
      [
        { $match: { [path]: { $exists: true } } },
        { $group: { _id: `$${path}`, count: { $sum: 1 }, ids: { $firstN: { input: "$_id", n: MOST_IDS } } } },
        { $match: { count: { $gt: 1 } } },
        { $group: { _id: null, count: { $sum: "$count" }, ids: { $firstN: { input: "$ids", n: MOST_IDS } } } },
      ],
      { allowDiskUse: true, ...(maxTimeMS !== undefined && { maxTimeMS }) },
    )
    .toArray();
  const ids: string[][] = found?.ids ?? [];
  return { count: found?.count ?? 0, ids: ids.flat().slice(0, MOST_IDS) };
};

/** Without ids for a sensitive field: they would tell whose values are equal. */
export const equalValuesSentence = (object: string, field: Field, { count, ids }: EqualValues): string => {
  const { api_name, sensitive } = field;
  if (sensitive === true)
    return `Records of "${object}" hold equal values of "${api_name}". Make them different first.`;
  const some = ids.map((id) => `"${id}"`).join(", ");
  const more = count > ids.length ? ", …" : "";
  const held = `${count} records of "${object}" hold values of "${api_name}" that other records hold too: ${some}${more}.`;
  return `${held} Make them different first.`;
};

import { readFitting } from "./read-fitting.ts";
import { shaper, type Written } from "./shape.ts";
import { collectionOf, ofIds, permitted } from "./stored-record.ts";
import type { Target } from "./target.ts";

/**
 * What was created by a request that came before, for its repetition: the records as they are now and as far as the
 * caller may read them now. One that is gone or out of reach is given by its id alone.
 */
export const writtenEarlier = async (target: Target, ids: readonly string[]): Promise<Written> => {
  // Ids ascend in the order of the batch, so that the first ones are those that fit.
  const cursor = collectionOf(target)
    .find(permitted(target, "read", ofIds(ids)))
    .sort({ _id: 1 });
  const { records, truncated } = await readFitting(cursor, shaper(target));
  const byId = new Map(records.map((record) => [record.id, record]));
  return { records: ids.map((id) => byId.get(id) ?? { id }), truncated };
};

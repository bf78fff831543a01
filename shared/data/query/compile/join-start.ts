import type { Document } from "mongodb";
import type { QueryAccess } from "../analyze/catalog.ts";
import { holdsSeveral, joinKey } from "../analyze/column.ts";
import { isIndexed, selectivity } from "../analyze/index-use.ts";
import { baseOf, type Plan, type PlannedJoin } from "../analyze/plan.ts";
import { conjuncts, type Predicate, readsOnly, test } from "../analyze/predicate.ts";
import { fieldsOf, recordsOf } from "./join-stages.ts";

/** The conditions on this object alone. Conditions without any field apply to all objects. */
const aloneOn = (where: readonly Predicate[], source: number): Predicate[] =>
  where.filter((part) => readsOnly(part, (index) => index === source));

/**
 * The inner join to start with: its conditions narrow it to certain values of an index, those on the object of FROM do
 * not, and an index leads back from there. Null: start with the object of FROM.
 */
export const betterStart = (plan: Plan): PlannedJoin | null => {
  if (plan.joins.length === 0) return null;
  const base = baseOf(plan).object;
  const own = selectivity(base, aloneOn(plan.where, 0));
  const found = plan.joins.find(({ outer, local, foreign, source, on }) => {
    if (outer || local.source !== 0 || holdsSeveral(local.field) || holdsSeveral(foreign.field)) return false;
    const narrowed = [...conjuncts(on), ...aloneOn(plan.where, source.index)];
    return isIndexed(base, local.path) && selectivity(source.object, narrowed) > own;
  });
  return found ?? null;
};

/** Reads the join's object first. The resulting rows are the same as if the object of FROM had been read first. */
export const startStages = (
  plan: Plan,
  { source, local, foreign, on }: PlannedJoin,
  access: QueryAccess,
): { readonly records: Document[]; readonly rows: Document[] } => {
  const base = baseOf(plan);
  const present = local.path === "_id" ? [] : [test(local, { $ne: null })];
  const resultKey = joinKey(0);
  const joined = Object.fromEntries(["_id", ...source.needed].map((name) => [name, `$${name}`]));
  return {
    records: recordsOf(source, [on, ...aloneOn(plan.where, source.index)], access),
    rows: [
      {
        $lookup: {
          from: base.object.api_name,
          localField: foreign.path,
          foreignField: local.path,
          pipeline: [...recordsOf(base, [...present, ...aloneOn(plan.where, 0)], access), { $project: fieldsOf(base) }],
          as: resultKey,
        },
      },
      { $unwind: `$${resultKey}` },
      { $replaceWith: { $mergeObjects: [`$${resultKey}`, { [joinKey(source.index)]: joined }] } },
    ],
  };
};

import type { Document } from "mongodb";
import type { QueryAccess } from "./catalog.ts";
import { type Column, holdsSeveral, joinSlot, placeOf } from "./column.ts";
import { matchStage } from "./match-stage.ts";
import type { Plan, PlannedJoin } from "./plan.ts";
import { all, type Predicate, sourcesOf, test, toFilter } from "./predicate.ts";

const within = (column: Column): string => column.path;

const isAlone = (predicate: Predicate, source: number): boolean => {
  const found = sourcesOf(predicate);
  return found.size === 1 && found.has(source);
};

/** Does every row stay exactly one row, whatever is found? Then only the page's rows need to be joined. */
export const keepsRows = (plan: Plan, where: readonly Predicate[]): boolean =>
  where.length === 0 &&
  plan.order.every(({ column }) => column.source === 0) &&
  plan.joins.every((join) => join.outer && join.foreign.path === "_id" && !holdsSeveral(join.local.field));

/**
 * One `$lookup` and one `$unwind` a join: a row per pair. A condition on an inner-joined object alone is tested inside
 * its lookup, any other as soon as all that it reads is there.
 */
export const joinStages = (plan: Plan, where: readonly Predicate[], access: QueryAccess): Document[] => {
  const stages: Document[] = [];
  const pushed = (join: PlannedJoin) => (join.outer ? [] : where.filter((part) => isAlone(part, join.source.index)));
  const done = new Set(plan.joins.flatMap(pushed));
  for (const join of plan.joins) {
    const { index } = join.source;
    stages.push(...lookupStages(join, pushed(join), access));
    const due = where.filter((part) => !done.has(part) && Math.max(...sourcesOf(part)) === index);
    stages.push(...matchStage([toFilter(all(due))]));
  }
  return stages;
};

const lookupStages = (join: PlannedJoin, pushed: readonly Predicate[], access: QueryAccess): Document[] => {
  const { source, local, foreign, on, outer } = join;
  const slot = joinSlot(source.index);
  // MongoDB lets a missing local field meet a missing foreign one; in SQL NULL equals nothing.
  const present = foreign.path === "_id" ? [] : [test(foreign, { $ne: null })];
  const conditions = toFilter(all([...present, on, ...pushed]), within);
  const fields = Object.fromEntries([...source.needed].map((name) => [name, 1]));
  return [
    {
      $lookup: {
        from: source.object.api_name,
        localField: placeOf(local),
        foreignField: foreign.path,
        pipeline: [
          ...matchStage([access.filter(source.object.api_name), conditions]),
          { $project: { _id: 1, ...fields } },
        ],
        as: slot,
      },
    },
    { $unwind: outer ? { path: `$${slot}`, preserveNullAndEmptyArrays: true } : `$${slot}` },
  ];
};

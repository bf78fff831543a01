import type { Document } from "mongodb";
import { expressionWithoutNames } from "#shared/data/access/access";
import type { QueryAccess } from "../analyze/catalog.ts";
import { type Column, holdsSeveral, isMaskedName, joinKey, pathOf } from "../analyze/column.ts";
import type { PlannedJoin } from "../analyze/plan.ts";
import { all, columnsOf, type Predicate, readsOnly, test } from "../analyze/predicate.ts";
import type { Source } from "../analyze/resolver.ts";
import { matchStage, toFilter } from "./filter.ts";

const within = (column: Column): string => column.path;

/** Whether a row matches at most one record, so that the join does not multiply rows. */
export const isSingle = ({ local, foreign }: PlannedJoin): boolean =>
  foreign.path === "_id" && !holdsSeveral(local.field);

/**
 * The records of one object that the caller may read and that match the conditions. Hidden names that the query reads
 * are removed first; conditions on other fields come before the removal, so that they can use an index.
 */
export const recordsOf = ({ object, masked }: Source, where: readonly Predicate[], access: QueryAccess): Document[] => {
  const isLate = (part: Predicate): boolean => columnsOf(part).some(isMaskedName);
  const early = masked.size === 0 ? where : where.filter((part) => !isLate(part));
  const records = matchStage([access.filter(object.api_name), toFilter(all(early), within)]);
  if (masked.size === 0) return records;
  const shown = [...masked].map(([name, mask]) => [name, expressionWithoutNames(`$${name}`, mask)] as const);
  return [
    ...records,
    { $set: Object.fromEntries(shown) },
    ...matchStage([toFilter(all(where.filter(isLate)), within)]),
  ];
};

/** The fields of a record that the query needs. */
export const fieldsOf = ({ needed }: Source): Document => ({
  _id: 1,
  ...Object.fromEntries([...needed].map((name) => [name, 1])),
});

/**
 * One `$lookup` and one `$unwind` for each join. A condition on an inner-joined object alone is tested inside its
 * lookup, others as soon as all their columns are present. `present`: the objects that are in the rows already.
 */
export const joinStages = (
  joins: readonly PlannedJoin[],
  where: readonly Predicate[],
  access: QueryAccess,
  present: ReadonlySet<number> = new Set([0]),
): Document[] => {
  if (joins.length === 0 && where.length === 0) return [];
  const stages: Document[] = [];
  const there = new Set(present);
  let open = where;
  const take = (isAmong: (source: number) => boolean): readonly Predicate[] => {
    const taken = open.filter((part) => readsOnly(part, isAmong));
    if (taken.length > 0) open = open.filter((part) => !taken.includes(part));
    return taken;
  };
  const testKnown = () => {
    if (open.length > 0) stages.push(...matchStage([toFilter(all(take((source) => there.has(source))))]));
  };
  testKnown();
  for (const join of joins) {
    const { index } = join.source;
    const pushed = join.outer ? [] : take((source) => source === index);
    stages.push(...lookupStages(join, pushed, access));
    there.add(index);
    testKnown();
  }
  return stages;
};

const lookupStages = (join: PlannedJoin, pushed: readonly Predicate[], access: QueryAccess): Document[] => {
  const { source, local, foreign, on, outer } = join;
  const resultKey = joinKey(source.index);
  // In MongoDB a missing local field matches a missing foreign one; in SQL NULL equals nothing.
  const present = foreign.path === "_id" ? [] : [test(foreign, { $ne: null })];
  return [
    {
      $lookup: {
        from: source.object.api_name,
        localField: pathOf(local),
        foreignField: foreign.path,
        pipeline: [...recordsOf(source, [...present, on, ...pushed], access), { $project: fieldsOf(source) }],
        as: resultKey,
      },
    },
    { $unwind: outer ? { path: `$${resultKey}`, preserveNullAndEmptyArrays: true } : `$${resultKey}` },
  ];
};

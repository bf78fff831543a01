import type { Document } from "mongodb";
import { expressionWithoutNames } from "#shared/data/access/access";
import type { QueryAccess } from "../analyze/catalog.ts";
import { type Column, holdsSeveral, isMaskedName, joinSlot, placeOf } from "../analyze/column.ts";
import type { PlannedJoin } from "../analyze/plan.ts";
import { all, columnsOf, type Predicate, readsOnly, test } from "../analyze/predicate.ts";
import type { Source } from "../analyze/resolver.ts";
import { matchStage, toFilter } from "./filter.ts";

const within = (column: Column): string => column.path;

/** Does a row meet at most one record, so that it stays one row or goes? */
export const isSingle = ({ local, foreign }: PlannedJoin): boolean =>
  foreign.path === "_id" && !holdsSeveral(local.field);

/**
 * The records of one object that the caller may read and the conditions leave. Where the query reads names that the caller
 * does not always see, those are taken away first; conditions on anything else come before that and can use an index.
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

/** What the query needs of a record. */
export const fieldsOf = ({ needed }: Source): Document => ({
  _id: 1,
  ...Object.fromEntries([...needed].map((name) => [name, 1])),
});

/**
 * One `$lookup` and one `$unwind` a join: a row per pair. A condition on an inner-joined object alone is tested inside
 * its lookup, any other as soon as all that it reads is there. `present`: the objects that are in the rows already.
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
  const slot = joinSlot(source.index);
  // MongoDB lets a missing local field meet a missing foreign one; in SQL NULL equals nothing.
  const present = foreign.path === "_id" ? [] : [test(foreign, { $ne: null })];
  return [
    {
      $lookup: {
        from: source.object.api_name,
        localField: placeOf(local),
        foreignField: foreign.path,
        pipeline: [...recordsOf(source, [...present, on, ...pushed], access), { $project: fieldsOf(source) }],
        as: slot,
      },
    },
    { $unwind: outer ? { path: `$${slot}`, preserveNullAndEmptyArrays: true } : `$${slot}` },
  ];
};

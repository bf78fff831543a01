import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { readSort, type SortField } from "../values/sort.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe } from "../values/types.ts";

export interface Head {
  readonly filter: Doc;
  readonly sort: readonly SortField[];
  readonly skip: number;
  readonly limit: number | undefined;
  readonly rest: readonly Doc[];
}

/** The leading stages that become a query on the collection. */
export function headOf(stages: readonly Doc[]): Head {
  const filters: Doc[] = [];
  let i = 0;
  for (; stages[i]?.keys[0] === "$match"; i++) filters.push(matchSpec(stages[i]?.values[0]));
  let sort: SortField[] = [];
  if (stages[i]?.keys[0] === "$sort") {
    sort = sortSpec(stages[i]?.values[0]);
    i++;
    for (; stages[i]?.keys[0] === "$match"; i++) filters.push(matchSpec(stages[i]?.values[0]));
  }
  let skip = 0;
  let limit: number | undefined;
  for (; stages[i]?.keys[0] === "$skip"; i++) skip += countSpec(stages[i] as Doc);
  for (; stages[i]?.keys[0] === "$limit"; i++)
    limit = Math.min(limit ?? Number.POSITIVE_INFINITY, countSpec(stages[i] as Doc));
  const filter =
    filters.length === 0 ? Doc.empty : filters.length === 1 ? (filters[0] as Doc) : Doc.of(["$and"], [filters]);
  return { filter, sort, skip, limit, rest: stages.slice(i) };
}

export function matchSpec(spec: Maybe): Doc {
  if (!(spec instanceof Doc))
    throw new MongoFault("Location15959", "the match filter must be an expression in an object");
  return spec;
}

export function sortSpec(spec: Maybe): SortField[] {
  if (!(spec instanceof Doc)) throw new MongoFault("Location15973", "the $sort key specification must be an object");
  if (spec.size === 0) throw new MongoFault("Location15976", "$sort stage must have at least one sort key");
  return readSort(spec, "$sort");
}

export function countSpec(stage: Doc): number {
  const name = stage.keys[0];
  const value = toInteger(stage.values[0]);
  if (name === "$limit") {
    if (value === undefined)
      throw new MongoFault(
        "Location5107201",
        `invalid argument to $limit stage: Expected an integer: $limit: ${typeName(stage.values[0])}`,
      );
    if (value <= 0) throw new MongoFault("Location15958", "the limit must be positive");
    return value;
  }
  if (value === undefined || value < 0)
    throw new MongoFault("Location5107200", "invalid argument to $skip stage: Expected a non-negative number");
  return value;
}

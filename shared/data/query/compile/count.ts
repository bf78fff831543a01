import type { Document } from "mongodb";
import type { QueryScope } from "../analyze/catalog.ts";
import type { Plan } from "../analyze/plan.ts";
import type { Query } from "../parse/syntax.ts";
import { compileQuery } from "./compile.ts";

export interface Counting {
  readonly plan: Plan;
  readonly collection: string;
  readonly pipeline: Document[];
  /** What an aggregate without groups has even of no records. */
  readonly atLeast: number;
}

const isCut = (stage: Document): boolean => "$limit" in stage || "$skip" in stage;
const isOrder = (stage: Document): boolean => "$sort" in stage;

/**
 * How many rows a query has on all its pages. Order and page are left out; so is what follows the page's cut, which
 * may not change the number of rows, or the page would have another size than was asked for.
 */
export const countingOf = (query: Query, scope: QueryScope): Counting => {
  const whole = compileQuery({ ...query, limit: null, offset: 0 }, scope);
  const cuts = whole.pipeline.filter(isCut).length;
  const end = cuts === 1 ? whole.pipeline.findIndex(isCut) : whole.pipeline.length;
  const rows = whole.pipeline.slice(0, end).filter((stage) => !isCut(stage) && !isOrder(stage));
  return {
    plan: whole.plan,
    collection: whole.collection,
    pipeline: [...rows, { $count: "total" }],
    atLeast: whole.emptyRow === null ? 0 : 1,
  };
};

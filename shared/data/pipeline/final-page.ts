import { isObject } from "./json.ts";

/** The last top-level `$skip` and `$limit` of a pipeline that stand together. */
export interface FinalPage {
  /** How many stages come before it. */
  readonly start: number;
  readonly offset: number;
  /** Null if there is only a `$skip`. */
  readonly limit: number | null;
}

const numberAt = (stage: unknown, name: string): number | null => {
  const value = isObject(stage) ? stage[name] : undefined;
  return typeof value === "number" ? value : null;
};

const isPaging = (stage: unknown): boolean => numberAt(stage, "$skip") !== null || numberAt(stage, "$limit") !== null;

/** `pipeline` is in order: its numbers have been checked. Null where it has no page of its own. */
export const finalPageOf = (pipeline: readonly unknown[]): FinalPage | null => {
  const last = pipeline.findLastIndex(isPaging);
  if (last < 0) return null;
  const before = pipeline[last - 1];
  const [skip, limit] = [numberAt(pipeline[last], "$skip"), numberAt(pipeline[last], "$limit")];
  const [skipBefore, limitBefore] = [numberAt(before, "$skip"), numberAt(before, "$limit")];
  if (limit !== null && skipBefore !== null) return { start: last - 1, offset: skipBefore, limit };
  if (skip !== null && limitBefore !== null) {
    // The limit is cut first, so what is skipped is missing from it.
    return { start: last - 1, offset: skip, limit: Math.max(limitBefore - skip, 0) };
  }
  return { start: last, offset: skip ?? 0, limit };
};

/** Stages that give exactly one document for each that comes in. */
const oneToOne = new Set([
  "$addFields",
  "$graphLookup",
  "$lookup",
  "$project",
  "$replaceRoot",
  "$replaceWith",
  "$set",
  "$setWindowFields",
  "$sort",
  "$unset",
]);

/** What remains to be run to know how many rows there are. */
export const countable = <S extends { readonly name: string }>(stages: readonly S[]): readonly S[] =>
  stages.slice(0, stages.findLastIndex(({ name }) => !oneToOne.has(name)) + 1);

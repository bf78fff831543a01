import { isObject } from "./json.ts";

/** The last adjacent top-level `$skip` and `$limit` of a pipeline. */
export interface FinalPage {
  /** The number of stages before it. */
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

/** `pipeline` has been checked. Null if it has no page of its own. */
export const finalPageOf = (pipeline: readonly unknown[]): FinalPage | null => {
  const last = pipeline.findLastIndex(isPaging);
  if (last < 0) return null;
  const before = pipeline[last - 1];
  const [skip, limit] = [numberAt(pipeline[last], "$skip"), numberAt(pipeline[last], "$limit")];
  const [skipBefore, limitBefore] = [numberAt(before, "$skip"), numberAt(before, "$limit")];
  if (limit !== null && skipBefore !== null) return { start: last - 1, offset: skipBefore, limit };
  if (skip !== null && limitBefore !== null) {
    // `$limit` comes first, so the skipped rows count towards it.
    return { start: last - 1, offset: skip, limit: Math.max(limitBefore - skip, 0) };
  }
  return { start: last, offset: skip ?? 0, limit };
};

/** Stages that give exactly one document for each input document. */
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

/** The stages that are needed to count the rows. */
export const countable = <S extends { readonly name: string }>(stages: readonly S[]): readonly S[] =>
  stages.slice(0, stages.findLastIndex(({ name }) => !oneToOne.has(name)) + 1);

import type { Document } from "mongodb";
import { expressionWithoutNames, projectionWithoutNames } from "#shared/data/access/access";
import { isReadable, type Source } from "./sources.ts";
import type { Uses } from "./walk.ts";

/** A checked stage of the caller. It can become several stages. */
export interface Stage {
  readonly name: string;
  readonly documents: readonly Document[];
  readonly uses: Uses;
}

/** Stages that leave each document unchanged. */
export const leavesDocuments = (name: string): boolean => untouching.has(name);

const untouching = new Set(["$match", "$sort", "$skip", "$limit"]);

/** Stages whose output depends only on the fields that they read. */
const closing = new Set(["$group", "$bucket", "$sortByCount", "$count"]);

/** Stages are not moved in front of a `$limit`. This one does not reduce the rows. */
const barrier: Document = { $limit: Number.MAX_SAFE_INTEGER };

/** Whether the stage reads only fields that the caller may read. */
const readsOnly = (source: Source, { fields, whole }: Uses): boolean =>
  !whole && [...fields].every((path) => isReadable(source, path));

/**
 * Confines the caller's stages on a collection. Records, fields and names in references that the caller may not see are
 * removed first, and sensitive values are masked, so that no later path or expression can reach them. Leading matches, sorts and pages that read only
 * visible fields stay before the removal, so that they can use an index. A group that follows them at once needs no
 * removal. A database may evaluate a match on documents that another match excludes; with a filter on records,
 * expressions that can fail are therefore kept behind a barrier.
 */
export const guarded = (source: Source, stages: readonly Stage[]): Document[] => {
  const before: Document[] = source.filter === null ? [] : [{ $match: source.filter }];
  let at = 0;
  for (let stage = stages[at]; stage !== undefined; stage = stages[at]) {
    if (!leavesDocuments(stage.name) || stage.uses.canFail || !readsOnly(source, stage.uses)) break;
    before.push(...stage.documents);
    at += 1;
  }
  const rest = stages.slice(at);
  const [next] = rest;
  const isClosed = next !== undefined && closing.has(next.name) && readsOnly(source, next.uses);
  if (!isClosed) before.push({ $project: fieldsOf(source) });
  if (source.filter !== null && rest.length > 0) before.push(barrier);
  return [...before, ...rest.flatMap((stage) => stage.documents)];
};

const fieldsOf = ({ readable, masks, masked }: Source): Document =>
  Object.fromEntries(
    [...readable].map((name) => {
      const hidden = masked.get(name);
      if (hidden !== undefined) return [name, { $literal: hidden.shown }];
      const mask = masks.get(name);
      return [name, mask === undefined ? 1 : projectionWithoutNames(name, mask)];
    }),
  );

/** The same projection as an expression, for a document in a variable. */
export const readableFields = ({ readable, masks, masked }: Source, variable: string): Document =>
  Object.fromEntries(
    [...readable].map((name) => {
      const hidden = masked.get(name);
      if (hidden !== undefined) return [name, { $literal: hidden.shown }];
      const [value, mask] = [`$$${variable}.${name}`, masks.get(name)];
      return [name, mask === undefined ? value : expressionWithoutNames(value, mask)];
    }),
  );

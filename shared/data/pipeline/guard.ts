import type { Document } from "mongodb";
import { expressionWithoutNames, projectionWithoutNames } from "#shared/data/access/access";
import { isReadable, type Source } from "./sources.ts";
import type { Uses } from "./walk.ts";

/** A stage of the caller's, ready to be sent: more than one where one alone would show too much. */
export interface Stage {
  readonly name: string;
  readonly documents: readonly Document[];
  readonly uses: Uses;
}

/** Stages that leave each document as it is. */
export const leavesDocuments = (name: string): boolean => untouching.has(name);

const untouching = new Set(["$match", "$sort", "$skip", "$limit"]);

/** Stages that let nothing of a document through but what they read of it. */
const closing = new Set(["$group", "$bucket", "$sortByCount", "$count"]);

/** Nothing is moved in front of a `$limit`, and this one cuts nothing off. */
const barrier: Document = { $limit: Number.MAX_SAFE_INTEGER };

/** Whether a stage reads nothing but what the caller may read. */
const readsOnly = (source: Source, { fields, whole }: Uses): boolean =>
  !whole && [...fields].every((path) => isReadable(source, path));

/**
 * The caller's stages on a collection. First the records and then the fields, and the names in references, that they
 * may not see are taken away, so that no name, path or expression behind it can reach them. What may be read stays in its own place and can use an
 * index: leading matches, orders and pages that read nothing else come before the fields are taken away, and where a
 * group follows at once it needs no taking away. A database may evaluate a match on documents that another match
 * leaves out; with a filter on records, expressions that can fail are therefore kept behind a barrier.
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

const fieldsOf = ({ readable, masks }: Source): Document =>
  Object.fromEntries(
    [...readable].map((name) => {
      const mask = masks.get(name);
      return [name, mask === undefined ? 1 : projectionWithoutNames(name, mask)];
    }),
  );

/** The same for documents that no pipeline was run on: an expression of a variable that holds one. */
export const readableFields = ({ readable, masks }: Source, variable: string): Document =>
  Object.fromEntries(
    [...readable].map((name) => {
      const [value, mask] = [`$$${variable}.${name}`, masks.get(name)];
      return [name, mask === undefined ? value : expressionWithoutNames(value, mask)];
    }),
  );

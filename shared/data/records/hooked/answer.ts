import { type Written, writtenOf } from "../api-record.ts";
import { rereadCreated } from "../read.ts";
import type { Target } from "../target.ts";
import { withBuffered } from "./read-before.ts";
import type { Outcome } from "./scope.ts";

/** The records of a write as they are now, also after its triggers have written them again. */
export const answerOf = async (
  target: Target,
  { checked, committedBefore, scope, later }: Outcome,
): Promise<Written> => {
  if (checked === undefined || committedBefore !== undefined) return rereadCreated(target, committedBefore ?? []);
  const { apiRecord, written } = checked.writing;
  const documents = written.flatMap(({ after }) => after ?? []);
  const ids = new Set(documents.map(({ _id }) => _id));
  if (scope.isInner) {
    const mayHaveChanged = (scope.hooks?.after.length ?? 0) > 0;
    return writtenOf(mayHaveChanged ? await withBuffered(target, scope.buffer, documents) : documents, apiRecord);
  }
  const isRewritten = later.some(
    ({ object, records }) => object === target.object && records.some(({ id }) => ids.has(id)),
  );
  return isRewritten ? rereadCreated(target, [...ids]) : writtenOf(documents, apiRecord);
};

import { flag, nonNegative } from "../arguments/reading.ts";
import type { Operating } from "../execution/context.ts";
import { openCursor, type Source } from "../execution/cursors.ts";
import { collationOf, evaluation } from "../execution/evaluation.ts";
import type { Routine } from "../foundation/routine.ts";
import { openPipeline } from "../stages/pipeline.ts";
import type { Collection } from "../storage/catalog.ts";
import { readFrom, resolveView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";

/** The documents of a view with more stages behind its own. */
export function* openView(operating: Operating, view: Collection, stages: readonly Doc[]): Routine<Source> {
  const collation = collationOf(operating.command);
  const { name, stages: own } = resolveView(view);
  const scope = {
    operating,
    db: operating.db,
    collection: name,
    collation,
    evaluation: evaluation(operating, collation),
  };
  return yield* openPipeline(scope, [...own, ...stages]);
}

/** How many documents to leave out and how many to take, as stages. */
export function slice(skip: number, limit: number | undefined): Doc[] {
  const stages: Doc[] = [];
  if (skip > 0) stages.push(Doc.from({ $skip: BigInt(skip) }));
  if (limit !== undefined) stages.push(Doc.from({ $limit: BigInt(limit) }));
  return stages;
}

export function* findInView(
  operating: Operating,
  view: Collection,
  stages: readonly Doc[],
  namespace: string,
): Routine<Doc> {
  const { command, engine } = operating;
  return yield* openCursor(engine.cursors, yield* openView(operating, view, stages), {
    namespace,
    batchSize: nonNegative(command, "batchSize"),
    single: flag(command, "singleBatch"),
    session: undefined,
    time: engine.clock(),
    collection: readFrom(view),
  });
}

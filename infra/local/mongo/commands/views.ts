import { flag, nonNegative } from "../arguments/reading.ts";
import type { CommandContext } from "../execution/context.ts";
import { openCursor, type Source } from "../execution/cursors.ts";
import { collationOf, evaluation } from "../execution/evaluation.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { openPipeline } from "../stages/pipeline.ts";
import type { Collection } from "../storage/catalog.ts";
import { readFrom, resolveView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";

/** The documents of a view, with further stages after its own. */
export function* openView(context: CommandContext, view: Collection, stages: readonly Doc[]): Coroutine<Source> {
  const collation = collationOf(context.command);
  const { name, stages: own } = resolveView(view);
  const scope = {
    context,
    db: context.db,
    collection: name,
    collation,
    evaluation: evaluation(context, collation),
  };
  return yield* openPipeline(scope, [...own, ...stages]);
}

/** Skip and limit as stages. */
export function slice(skip: number, limit: number | undefined): Doc[] {
  const stages: Doc[] = [];
  if (skip > 0) stages.push(Doc.from({ $skip: BigInt(skip) }));
  if (limit !== undefined) stages.push(Doc.from({ $limit: BigInt(limit) }));
  return stages;
}

export function* findInView(
  context: CommandContext,
  view: Collection,
  stages: readonly Doc[],
  namespace: string,
): Coroutine<Doc> {
  const { command, engine } = context;
  return yield* openCursor(engine.cursors, yield* openView(context, view, stages), {
    namespace,
    batchSize: nonNegative(command, "batchSize"),
    single: flag(command, "singleBatch"),
    session: undefined,
    time: engine.clock(),
    collection: readFrom(view),
  });
}

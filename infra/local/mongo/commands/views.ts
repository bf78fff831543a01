import { openCursor } from "../cursors.ts";
import { evaluation, type Operating } from "../engine.ts";
import { openPipeline } from "../stages/pipeline.ts";
import type { Collection } from "../storage/catalog.ts";
import { resolveView } from "../storage/views.ts";
import type { Doc } from "../values/document.ts";
import { collationOf, nonNegative } from "./arguments.ts";

export function aggregateView(operating: Operating, view: Collection, stages: readonly Doc[], namespace: string): Doc {
  const { command, engine, db } = operating;
  const collation = collationOf(command);
  const { name, stages: own } = resolveView(view);
  const next = openPipeline(
    { operating, db, collection: name, collation, evaluation: evaluation(operating, collation) },
    [...own, ...stages],
  );
  return openCursor(engine.cursors, next, {
    namespace,
    batchSize: nonNegative(command, "batchSize"),
    single: false,
    session: undefined,
    time: engine.clock(),
  });
}

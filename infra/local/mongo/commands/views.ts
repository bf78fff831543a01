import { openCursor } from "../cursors.ts";
import { evaluation, type Operating } from "../engine.ts";
import { openPipeline } from "../stages/pipeline.ts";
import type { Collection } from "../storage/catalog.ts";
import { Doc } from "../values/document.ts";
import { collationOf, nonNegative } from "./arguments.ts";

export const isView = (collection: Collection): boolean => collection.options.has("viewOn");

/** The collection under a view (views may stand on views) and the stages that lead from it. */
export function resolveView(collection: Collection): { name: string; stages: Doc[] } {
  let name = collection.name;
  let current: Collection | undefined = collection;
  let stages: Doc[] = [];
  while (current !== undefined && isView(current)) {
    const own = current.options.get("pipeline");
    stages = [...(Array.isArray(own) ? (own as Doc[]) : []), ...stages];
    name = String(current.options.get("viewOn"));
    current = current.db.collections.get(name);
  }
  return { name, stages };
}

export function aggregateView(operating: Operating, view: Collection, stages: readonly Doc[], namespace: string): Doc {
  const { command, engine, db } = operating;
  const { name, stages: own } = resolveView(view);
  const next = openPipeline(operating, db, name, [...own, ...stages], evaluation(operating, collationOf(command)), {});
  return openCursor(engine.cursors, next, {
    namespace,
    batchSize: nonNegative(command, "batchSize"),
    single: false,
    session: undefined,
    time: engine.clock(),
  });
}

import { type CommandContext, flush } from "../execution/context.ts";
import type { Engine } from "../execution/engine.ts";
import type { Index } from "../index/index.ts";
import { noDeadline } from "../query/execute.ts";
import type { Collection } from "../storage/catalog.ts";
import { Doc } from "../values/document.ts";
import { collectKeys } from "../values/paths.ts";
import { type Maybe, UtcDate } from "../values/types.ts";
import { remove } from "./records.ts";

/** Removes expired documents. Those that a transaction has locked are left for the next run. */
export function expire(engine: Engine): void {
  const context: CommandContext = {
    engine,
    command: Doc.empty,
    db: "",
    transaction: undefined,
    session: undefined,
    deadline: noDeadline,
    now: engine.clock(),
    changes: new Map(),
  };
  for (const { collections } of engine.store.databases.values()) {
    for (const collection of collections.values()) {
      for (const index of collection.indexes) {
        if (index.expireAfterSeconds !== undefined)
          expireBy(context, collection, index, engine.clock() - index.expireAfterSeconds * 1000);
      }
    }
  }
  flush(context);
}

function expireBy(context: CommandContext, collection: Collection, index: Index, limit: number): void {
  const edge = { at: "value", value: new UtcDate(limit), inclusive: true } as const;
  const { low, high } = index.space.range([], { low: { at: "type", rank: 45 }, high: edge });
  const gone = new Set<number>();
  index.list.scan(low, high, (rid) => {
    gone.add(rid);
    return false;
  });
  for (const rid of gone) {
    const doc = collection.records.get(rid);
    if (doc !== undefined && !collection.locks.has(rid) && isDue(index, doc, limit)) remove(context, collection, rid);
  }
}

/** Of several dates in an array the earliest one counts. */
function isDue(index: Index, doc: Doc, limit: number): boolean {
  const values: Maybe[] = [];
  for (const { parts } of index.components) collectKeys(doc, parts, 0, values);
  return values.some((value) => value instanceof UtcDate && value.ms <= limit);
}

import {
  checkName,
  checkUnlocked,
  dropCollection,
  ensureCollection,
  moveCollection,
} from "../execution/collections.ts";
import { type CommandContext, record } from "../execution/context.ts";
import { retryAfterLock } from "../execution/retry-after-lock.ts";
import { shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { readIndex } from "../index/specification.ts";
import { buildIndex } from "../storage/catalog.ts";
import { indexed } from "../storage/operations.ts";
import { isView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";
import { isTrue } from "../values/numbers.ts";
import type { Maybe, Value } from "../values/types.ts";
import { insert } from "../writes/records.ts";

export interface Target {
  readonly db: string;
  readonly name: string;
}

export function targetOf(spec: Maybe, db: string, what: string): Target {
  if (typeof spec === "string") return named(db, spec);
  if (spec instanceof Doc) {
    const name = spec.get("coll");
    const other = spec.get("db");
    if (typeof name === "string" && (other === undefined || typeof other === "string")) return named(other ?? db, name);
  }
  throw new MongoFault("Location51178", `${what} must be a string or an object with 'db' and 'coll'`);
}

function named(db: string, name: string): Target {
  checkName(db, name);
  return { db, name };
}

/** Writes the result of a pipeline. It is compiled, and checked, before the pipeline reads. */
export type Write = (docs: readonly Doc[]) => Coroutine<void>;

export function compileOut(context: CommandContext, spec: Value): Write {
  if (spec instanceof Doc && spec.has("timeseries")) throw unsupported("$out into a time series");
  const target = targetOf(spec, context.db, "$out");
  return (docs) => writeOut(context, target, docs);
}

/**
 * Replaces a collection by the documents of a pipeline atomically. Its options and indexes are kept.
 */
function* writeOut(context: CommandContext, { db, name }: Target, docs: readonly Doc[]): Coroutine<void> {
  const { engine, command } = context;
  const old = engine.store.databases.get(db)?.collections.get(name);
  if (old !== undefined && isView(old))
    throw new MongoFault("CommandNotSupportedOnView", `Namespace ${db}.${name} is a view, not a collection`);
  const bypass = isTrue(command.get("bypassDocumentValidation"));
  const temporary = ensureCollection(context, db, `tmp.agg_out.${engine.store.nextCollection}`, old?.options);
  try {
    for (const { spec: index } of old?.indexes.slice(1) ?? []) {
      temporary.indexes.push(readIndex(index));
      record(context, temporary.db, indexed(temporary, index));
    }
    for (const index of temporary.indexes) buildIndex(temporary, index);
    for (const doc of docs) {
      if (shouldYield()) yield;
      insert(context, temporary, doc, bypass);
    }
    yield* retryAfterLock(context, () => {
      const current = engine.store.databases.get(db)?.collections.get(name);
      if (current === undefined) return;
      checkUnlocked(current);
      dropCollection(context, current);
    });
    moveCollection(context, temporary, name);
  } catch (error) {
    dropCollection(context, temporary);
    throw error;
  }
}

import {
  checkName,
  checkUnlocked,
  dropCollection,
  ensureCollection,
  moveCollection,
} from "../execution/collections.ts";
import { type Operating, record } from "../execution/context.ts";
import { patiently } from "../execution/lock-wait.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { mustPause } from "../foundation/pace.ts";
import type { Routine } from "../foundation/routine.ts";
import { readIndex } from "../index/specification.ts";
import { buildIndex } from "../storage/catalog.ts";
import { indexed } from "../storage/changes.ts";
import { isView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";
import { isTrue } from "../values/numbers.ts";
import type { Maybe, Value } from "../values/types.ts";
import { insert } from "../writes/writes.ts";

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

/** Writes what a pipeline gives. It is made, and its mistakes are found, before the pipeline reads anything. */
export type Write = (docs: readonly Doc[]) => Routine<void>;

export function compileOut(operating: Operating, spec: Value): Write {
  if (spec instanceof Doc && spec.has("timeseries")) throw unsupported("$out into a time series");
  const target = targetOf(spec, operating.db, "$out");
  return (docs) => writeOut(operating, target, docs);
}

/**
 * Replaces a collection by the documents of a pipeline, keeping its options and indexes. It appears whole or not at all.
 */
function* writeOut(operating: Operating, { db, name }: Target, docs: readonly Doc[]): Routine<void> {
  const { engine, command } = operating;
  const old = engine.store.databases.get(db)?.collections.get(name);
  if (old !== undefined && isView(old))
    throw new MongoFault("CommandNotSupportedOnView", `Namespace ${db}.${name} is a view, not a collection`);
  const bypass = isTrue(command.get("bypassDocumentValidation"));
  const temporary = ensureCollection(operating, db, `tmp.agg_out.${engine.store.nextCollection}`, old?.options);
  try {
    for (const { spec: index } of old?.indexes.slice(1) ?? []) {
      temporary.indexes.push(readIndex(index));
      record(operating, temporary.db, indexed(temporary, index));
    }
    for (const index of temporary.indexes) buildIndex(temporary, index);
    for (const doc of docs) {
      if (mustPause()) yield;
      insert(operating, temporary, doc, bypass);
    }
    yield* patiently(operating, () => {
      const current = engine.store.databases.get(db)?.collections.get(name);
      if (current === undefined) return;
      checkUnlocked(current);
      dropCollection(operating, current);
    });
    moveCollection(operating, temporary, name);
  } catch (error) {
    dropCollection(operating, temporary);
    throw error;
  }
}

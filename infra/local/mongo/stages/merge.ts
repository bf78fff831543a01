import { ensureCollection, findCollection } from "../execution/collections.ts";
import type { Operating } from "../execution/context.ts";
import type { Evaluation } from "../execution/evaluation.ts";
import { patiently } from "../execution/lock-wait.ts";
import { bind, compile } from "../expressions/compile.ts";
import { MongoFault } from "../foundation/fault.ts";
import { mustPause } from "../foundation/pace.ts";
import type { Routine } from "../foundation/routine.ts";
import type { Collection } from "../storage/catalog.ts";
import { compileUpdate, keepId, type Update, withIdFirst } from "../update/update.ts";
import { Doc } from "../values/document.ts";
import { isTrue } from "../values/numbers.ts";
import { readPlain, splitPath } from "../values/paths.ts";
import { UtcDate, type Value } from "../values/types.ts";
import { readUpdate, type UpdateStatement, update } from "../writes/update-statement.ts";
import { insert, newObjectId, newTimestamp } from "../writes/writes.ts";
import { type Merge, readMerge } from "./merge-spec.ts";
import type { Target, Write } from "./output.ts";

/** Writes the documents of a pipeline into a collection one by one, as the server does: what was written stays. */
export function compileMerge(operating: Operating, spec: Value, evaluation: Evaluation): Write {
  const merge = readMerge(spec, operating.db);
  const apply = matchedUpdate(merge, evaluation, operating);
  return (docs) => writeMerge(operating, merge, apply, docs);
}

function* writeMerge(
  operating: Operating,
  merge: Merge,
  apply: (doc: Doc) => Update,
  docs: readonly Doc[],
): Routine<void> {
  const into: Operating = { ...operating, db: merge.target.db };
  const bypass = isTrue(operating.command.get("bypassDocumentValidation"));
  checkUniqueOn(findCollection(into, merge.target.db, merge.target.name), merge.on);
  for (const read of docs) {
    if (mustPause()) yield;
    const doc = merge.on.includes("_id") && !read.has("_id") ? withIdFirst(newObjectId(operating.now), read) : read;
    if (merge.whenMatched === "fail") {
      yield* insertOnly(into, merge.target, doc, bypass);
      continue;
    }
    const filter = Doc.of(
      [...merge.on],
      merge.on.map((path) => keyValue(doc, path)),
    );
    const statement = {
      ...readUpdate(into, Doc.from({ q: filter, u: Doc.empty }), undefined, bypass),
      update: apply(doc),
    };
    const matched = yield* updateMatched(into, merge.target.name, statement);
    if (matched > 0) continue;
    if (merge.whenNotMatched === "fail")
      throw new MongoFault(
        "MergeStageNoMatchingDocument",
        "$merge could not find a matching document in the target collection for at least one document in the source collection",
      );
    if (merge.whenNotMatched === "insert") yield* insertOnly(into, merge.target, doc, bypass);
  }
}

function* updateMatched(into: Operating, name: string, statement: UpdateStatement): Routine<number> {
  try {
    return (yield* update(into, name, statement)).matched;
  } catch (error) {
    return explained(error);
  }
}

function explained(error: unknown): never {
  if (!(error instanceof MongoFault) || error.codeName !== "ImmutableField") throw error;
  throw new MongoFault(
    "ImmutableField",
    `$merge failed to update the matching document, did you attempt to modify the _id or the shard key? :: caused by :: ${error.message}`,
  );
}

function* insertOnly(into: Operating, { db, name }: Target, doc: Doc, bypass: boolean): Routine<void> {
  const collection = yield* patiently(into, () => ensureCollection(into, db, name));
  yield* patiently(into, () => insert(into, collection, doc, bypass));
}

function checkUniqueOn(collection: Collection | undefined, on: readonly string[]): void {
  if (on.length === 1 && on[0] === "_id") return;
  const isUnique = collection?.indexes.some(
    ({ unique, partial, components }) =>
      unique &&
      partial === undefined &&
      components.length === on.length &&
      components.every(({ path }) => on.includes(path)),
  );
  if (!isUnique) throw new MongoFault("Location51183", "Cannot find index to verify that join fields will be unique");
}

function keyValue(doc: Doc, path: string): Value {
  const value = readPlain(doc, splitPath(path));
  if (value === undefined || (value === null && path !== "_id"))
    throw new MongoFault(
      "Location51132",
      `$merge write error: 'on' field '${path}' cannot be missing, null, undefined or an array`,
    );
  if (Array.isArray(value))
    throw new MongoFault("Location51185", `$merge write error: 'on' field '${path}' cannot be an array`);
  return value;
}

function matchedUpdate(merge: Merge, evaluation: Evaluation, operating: Operating): (doc: Doc) => Update {
  const { whenMatched } = merge;
  if (typeof whenMatched === "string") {
    return (doc) => ({
      kind: "modifiers",
      apply(old) {
        if (whenMatched === "keepExisting") return old;
        if (whenMatched === "replace") return keepId(old, doc);
        return keepId(
          old,
          doc.keys.reduce((result, key, i) => result.with(key, doc.values[i] as Value), old),
        );
      },
    });
  }
  const variables = merge.variables ?? Doc.empty;
  const values = variables.values.map((value) => compile(value, evaluation.scope));
  const bound = bind(evaluation.scope, variables.keys);
  const { frame } = evaluation;
  const ms = operating.now;
  const compiled = compileUpdate(
    [...whenMatched],
    [],
    { scope: bound.scope, frame },
    { date: new UtcDate(ms), timestamp: newTimestamp(ms) },
  );
  return (doc) => {
    frame[0] = doc;
    const held = values.map((value) => value(frame));
    return {
      kind: "pipeline",
      apply(old, options) {
        bound.slots.forEach((slot, i) => {
          frame[slot] = held[i];
        });
        return compiled.apply(old, options);
      },
    };
  };
}

import { dropCollection, moveCollection } from "../commands/catalog.ts";
import { patiently, readUpdate, update } from "../commands/write.ts";
import type { Source } from "../cursors.ts";
import type { Evaluation } from "../engine.ts";
import { checkUnlocked, ensureCollection, findCollection, type Operating, record } from "../engine.ts";
import { bind, compile } from "../expressions/compile.ts";
import { failedToParse, MongoFault } from "../fault.ts";
import { readIndex } from "../index/specification.ts";
import { buildIndex, type Collection } from "../storage/catalog.ts";
import { indexed } from "../storage/changes.ts";
import { compileUpdate } from "../update/update.ts";
import { Doc } from "../values/document.ts";
import { readPlain, splitPath } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { UtcDate } from "../values/types.ts";
import { insert, newTimestamp } from "../writes.ts";

interface Target {
  readonly db: string;
  readonly name: string;
}

function targetOf(spec: Maybe, db: string, what: string): Target {
  if (typeof spec === "string") return { db, name: spec };
  if (spec instanceof Doc) {
    const name = spec.get("coll");
    const other = spec.get("db");
    if (typeof name === "string" && (other === undefined || typeof other === "string"))
      return { db: other ?? db, name };
  }
  throw new MongoFault(51178, `${what} must be a string or an object with 'db' and 'coll'`);
}

/** Replaces a collection by the documents of a pipeline, keeping its indexes. It appears whole or not at all. */
export async function writeOut(operating: Operating, spec: Value, source: Source): Promise<void> {
  if (spec instanceof Doc)
    for (const key of spec.keys)
      if (key !== "db" && key !== "coll") throw new MongoFault(40415, `BSON field '$out.${key}' is an unknown field.`);
  const { db, name } = targetOf(spec, operating.db, "$out");
  const { engine } = operating;
  const temporary = ensureCollection(operating, db, `tmp.agg_out.${engine.store.nextCollection}`);
  try {
    const old = engine.store.databases.get(db)?.collections.get(name);
    if (old?.options.has("viewOn")) throw new MongoFault(166, `Namespace ${db}.${name} is a view, not a collection`);
    for (const { spec: index } of old?.indexes.slice(1) ?? []) {
      temporary.indexes.push(readIndex(index));
      record(operating, temporary.db, indexed(temporary, index));
    }
    for (const index of temporary.indexes) buildIndex(temporary, index);
    for (let doc = source(); doc !== undefined; doc = source()) insert(operating, temporary, doc, true);
    await patiently(operating, () => {
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

const mergeFields = new Set(["into", "on", "let", "whenMatched", "whenNotMatched"]);
const whenMatchedModes = ["replace", "keepExisting", "merge", "fail"];

interface Merge {
  readonly target: Target;
  readonly on: readonly string[];
  readonly whenMatched: string | readonly Value[];
  readonly whenNotMatched: string;
  readonly variables: Doc | undefined;
}

function readMerge(spec: Value, db: string): Merge {
  if (typeof spec !== "string" && !(spec instanceof Doc))
    throw new MongoFault(51182, "$merge requires a string or object argument");
  if (typeof spec === "string")
    return {
      target: targetOf(spec, db, "$merge"),
      on: ["_id"],
      whenMatched: "merge",
      whenNotMatched: "insert",
      variables: undefined,
    };
  for (const key of spec.keys)
    if (!mergeFields.has(key)) throw new MongoFault(40415, `BSON field '$merge.${key}' is an unknown field.`);
  const into = spec.get("into");
  const given = spec.get("on") ?? "_id";
  const on = Array.isArray(given) ? given : [given];
  if (on.length === 0 || !on.every((path) => typeof path === "string"))
    throw new MongoFault(51186, "$merge 'on' must be a string or an array of strings");
  const whenMatched = spec.get("whenMatched") ?? "merge";
  const whenNotMatched = spec.get("whenNotMatched") ?? "insert";
  if (!Array.isArray(whenMatched) && !whenMatchedModes.includes(String(whenMatched)))
    throw new MongoFault(51191, `$merge 'whenMatched' has an unknown mode: ${String(whenMatched)}`);
  if (!["insert", "discard", "fail"].includes(String(whenNotMatched)))
    throw failedToParse(`$merge 'whenNotMatched' has an unknown mode: ${String(whenNotMatched)}`);
  const variables = spec.get("let");
  if (variables !== undefined && !(variables instanceof Doc))
    throw new MongoFault(14, "$merge 'let' must be an object");
  if (variables !== undefined && !Array.isArray(whenMatched))
    throw new MongoFault(51199, "Cannot use 'let' variables with 'whenMatched' other than a pipeline");
  return {
    target: targetOf(into, db, "$merge"),
    on: on as string[],
    whenMatched: Array.isArray(whenMatched) ? whenMatched : String(whenMatched),
    whenNotMatched: String(whenNotMatched),
    variables,
  };
}

/** Writes the documents of a pipeline into a collection one by one, as the server does: what was written stays. */
export async function writeMerge(
  operating: Operating,
  spec: Value,
  source: Source,
  evaluation: Evaluation,
): Promise<void> {
  const merge = readMerge(spec, operating.db);
  const into: Operating = { ...operating, db: merge.target.db };
  const existing = findCollection(into, merge.target.db, merge.target.name);
  checkUniqueOn(existing, merge.on);
  const apply = matchedUpdate(merge, evaluation, operating);
  for (let doc = source(); doc !== undefined; doc = source()) {
    const keyed = doc;
    const filter = Doc.of(
      [...merge.on],
      merge.on.map((path) => keyValue(keyed, path, merge)),
    );
    const statement = {
      ...readUpdate(into, Doc.from({ q: filter, u: Doc.empty }), undefined, false),
      update: apply(keyed),
    };
    if (merge.whenMatched === "fail") {
      await insertOnly(into, merge.target, keyed);
      continue;
    }
    const { matched } = await update(into, merge.target.name, statement);
    if (matched > 0) continue;
    if (merge.whenNotMatched === "fail")
      throw new MongoFault(
        13113,
        "$merge could not find a matching document in the target collection for at least one document in the source collection",
      );
    if (merge.whenNotMatched === "insert") await insertOnly(into, merge.target, keyed);
  }
}

async function insertOnly(into: Operating, { db, name }: Target, doc: Doc): Promise<void> {
  const collection = await patiently(into, () => ensureCollection(into, db, name));
  await patiently(into, () => insert(into, collection, doc));
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
  if (!isUnique) throw new MongoFault(51183, "Cannot find index to verify that join fields will be unique");
}

function keyValue(doc: Doc, path: string, { on }: Merge): Value {
  const value = readPlain(doc, splitPath(path));
  if ((value === undefined || value === null) && !(path === "_id" && on.length === 1))
    throw new MongoFault(
      51132,
      `$merge write error: 'on' field '${path}' cannot be missing, null, undefined or an array`,
    );
  if (Array.isArray(value)) throw new MongoFault(51185, `$merge write error: 'on' field '${path}' cannot be an array`);
  return value ?? null;
}

function matchedUpdate(
  merge: Merge,
  evaluation: Evaluation,
  operating: Operating,
): (doc: Doc) => ReturnType<typeof compileUpdate> {
  const { whenMatched } = merge;
  if (typeof whenMatched === "string") {
    return (doc) => ({
      kind: "modifiers",
      apply(old) {
        if (whenMatched === "keepExisting") return old;
        if (whenMatched === "replace")
          return doc.has("_id") ? doc : Doc.of(["_id", ...doc.keys], [old.get("_id") ?? null, ...doc.values]);
        return doc.keys.reduce((result, key, i) => result.with(key, doc.values[i] as Value), old);
      },
    });
  }
  const variables = merge.variables ?? Doc.from({ new: "$$ROOT" });
  const values = variables.values.map((value) => compile(value, evaluation.scope));
  const bound = bind(evaluation.scope, variables.keys);
  const { frame } = evaluation;
  const ms = operating.engine.clock();
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

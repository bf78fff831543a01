import { patiently } from "../commands/patience.ts";
import { readUpdate, update } from "../commands/update-statement.ts";
import type { Source } from "../cursors.ts";
import { type Evaluation, ensureCollection, findCollection, type Operating } from "../engine.ts";
import { bind, compile } from "../expressions/compile.ts";
import { failedToParse, MongoFault } from "../fault.ts";
import type { Collection } from "../storage/catalog.ts";
import { compileUpdate } from "../update/update.ts";
import { Doc } from "../values/document.ts";
import { readPlain, splitPath } from "../values/paths.ts";
import { UtcDate, type Value } from "../values/types.ts";
import { insert, newTimestamp } from "../writes.ts";
import { type Target, targetOf } from "./output.ts";

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

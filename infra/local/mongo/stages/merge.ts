import { ensureCollection, findCollection } from "../execution/collections.ts";
import type { CommandContext } from "../execution/context.ts";
import type { Evaluation } from "../execution/evaluation.ts";
import { retryAfterLock } from "../execution/retry-after-lock.ts";
import { bind, compile } from "../expressions/compile.ts";
import { shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { Collection } from "../storage/catalog.ts";
import { compileUpdate, keepId, type Update, withIdFirst } from "../update/update.ts";
import { Doc } from "../values/document.ts";
import { isTrue } from "../values/numbers.ts";
import { readPlain, splitPath } from "../values/paths.ts";
import { UtcDate, type Value } from "../values/types.ts";
import { insert, newObjectId, newTimestamp } from "../writes/records.ts";
import { readUpdate, type UpdateStatement, update } from "../writes/update-statement.ts";
import { type Target, targetOf, type Write } from "./output.ts";

export interface Merge {
  readonly target: Target;
  readonly on: readonly string[];
  readonly whenMatched: string | readonly Value[];
  readonly whenNotMatched: string;
  readonly variables: Doc | undefined;
}

const plain = { on: ["_id"], whenMatched: "merge", whenNotMatched: "insert", variables: undefined } as const;

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/merge/ */
function readMerge(spec: Value, db: string): Merge {
  if (!(spec instanceof Doc)) return { target: targetOf(spec, db, "$merge"), ...plain };
  const whenMatched = (spec.get("whenMatched") ?? plain.whenMatched) as Merge["whenMatched"];
  const whenNotMatched = String(spec.get("whenNotMatched") ?? plain.whenNotMatched);
  if ((whenMatched === "keepExisting" || whenMatched === "fail") && whenNotMatched !== "insert")
    throw new MongoFault(
      "Location51181",
      `Combination of $merge modes 'whenMatched: ${whenMatched}' and 'whenNotMatched: ${whenNotMatched}' is not supported`,
    );
  return {
    target: targetOf(spec.get("into"), db, "$merge"),
    on: readOn(spec.get("on") ?? "_id"),
    whenMatched,
    whenNotMatched,
    variables: readVariables(spec.get("let"), whenMatched),
  };
}

function readOn(given: Value): readonly string[] {
  const on = (Array.isArray(given) ? given : [given]) as string[];
  const twice = on.find((path, i) => on.indexOf(path) !== i);
  if (twice !== undefined) throw new MongoFault("Location31465", `Found a duplicate field '${twice}'`);
  return on;
}

/** The pipeline sees the new document as $$new, beside its own variables. */
function readVariables(given: Value | undefined, whenMatched: Merge["whenMatched"]): Doc | undefined {
  if (typeof whenMatched === "string") {
    if (given !== undefined)
      throw new MongoFault("Location51199", `Cannot use 'let' variables with 'whenMatched: ${whenMatched}' mode`);
    return undefined;
  }
  const variables = given instanceof Doc ? given : Doc.empty;
  const own = variables.get("new");
  if (own !== undefined && own !== "$$ROOT")
    throw new MongoFault(
      "Location51273",
      "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'",
    );
  return own === undefined ? variables.with("new", "$$ROOT") : variables;
}

/**
 * Writes the documents of a pipeline into a collection one by one. After an error earlier writes remain, as in MongoDB.
 */
export function compileMerge(context: CommandContext, spec: Value, evaluation: Evaluation): Write {
  const merge = readMerge(spec, context.db);
  const apply = matchedUpdate(merge, evaluation, context);
  return (docs) => writeMerge(context, merge, apply, docs);
}

function* writeMerge(
  context: CommandContext,
  merge: Merge,
  apply: (doc: Doc) => Update,
  docs: readonly Doc[],
): Coroutine<void> {
  const into: CommandContext = { ...context, db: merge.target.db };
  const bypass = isTrue(context.command.get("bypassDocumentValidation"));
  checkUniqueOn(findCollection(into, merge.target.db, merge.target.name), merge.on);
  for (const read of docs) {
    if (shouldYield()) yield;
    const doc = merge.on.includes("_id") && !read.has("_id") ? withIdFirst(newObjectId(context.now), read) : read;
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

function* updateMatched(into: CommandContext, name: string, statement: UpdateStatement): Coroutine<number> {
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

function* insertOnly(into: CommandContext, { db, name }: Target, doc: Doc, bypass: boolean): Coroutine<void> {
  const collection = yield* retryAfterLock(into, () => ensureCollection(into, db, name));
  yield* retryAfterLock(into, () => insert(into, collection, doc, bypass));
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

function matchedUpdate(merge: Merge, evaluation: Evaluation, context: CommandContext): (doc: Doc) => Update {
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
  const ms = context.now;
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

import { flag, nameOf, optionalDoc } from "../arguments/reading.ts";
import {
  checkName,
  checkUnlocked,
  dropCollection,
  ensureCollection,
  findCollection,
  moveCollection,
} from "../execution/collections.ts";
import { type Command, type CommandContext, record } from "../execution/context.ts";
import { evaluation } from "../execution/evaluation.ts";
import { badValue, MongoFault, unsupported } from "../foundation/fault.ts";
import { readIndex } from "../index/specification.ts";
import { compilePipeline } from "../stages/pipeline.ts";
import { type Collection, namespaceOf, setOptions } from "../storage/catalog.ts";
import { optionsChanged } from "../storage/operations.ts";
import { removeDatabase } from "../storage/store.ts";
import { compileValidator } from "../storage/validator.ts";
import { isView } from "../storage/views.ts";
import { equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";

const kept = ["validator", "validationLevel", "validationAction", "viewOn", "pipeline"];
/** Options of MongoDB's collections that are not supported. */
const isLeftOut = new Set([
  "capped",
  "size",
  "max",
  "timeseries",
  "collation",
  "storageEngine",
  "indexOptionDefaults",
  "expireAfterSeconds",
  "clusteredIndex",
  "changeStreamPreAndPostImages",
  "encryptedFields",
]);

export const create: Command = (context) => {
  const { command, db } = context;
  const name = nameOf(command);
  checkName(db, name);
  for (const [i, option] of command.keys.entries()) {
    const value = command.values[i];
    if (!isLeftOut.has(option) || value === null || value === false) continue;
    if (option === "collation" && value instanceof Doc && (value.size === 0 || value.get("locale") === "simple"))
      continue;
    const existing = findCollection(context, db, name);
    if (existing !== undefined) throw new MongoFault("NamespaceExists", `Collection ${db}.${name} already exists.`);
    throw unsupported(`the create option ${option}`);
  }
  if (command.has("pipeline") && !command.has("viewOn"))
    throw new MongoFault("InvalidOptions", "'pipeline' requires 'viewOn' to also be specified");
  const options = Doc.from(Object.fromEntries(kept.map((option) => [option, command.get(option) ?? undefined])));
  checkValidator(options);
  const existing = findCollection(context, db, name);
  if (existing !== undefined) {
    if (equals(existing.options, options)) return Doc.empty;
    throw new MongoFault("NamespaceExists", `Collection ${db}.${name} already exists.`);
  }
  if (options.has("viewOn")) checkPipeline(context, options);
  ensureCollection(context, db, name, options);
  return Doc.empty;
};

/** Refuses a wrong validator when it is set. */
function checkValidator(options: Doc): void {
  const validator = options.get("validator");
  if (validator instanceof Doc) compileValidator(validator);
}

function checkPipeline(context: CommandContext, options: Doc): void {
  const pipeline = options.get("pipeline") ?? [];
  if (!Array.isArray(pipeline)) throw new MongoFault("TypeMismatch", "BSON field 'create.pipeline' must be an array");
  // The pipeline is compiled and not opened, so that a wrong one is refused now.
  compilePipeline(
    {
      context,
      db: context.db,
      collection: String(options.get("viewOn")),
      evaluation: evaluation(context, undefined),
      collation: undefined,
    },
    pipeline,
  );
}

const validation = ["validator", "validationLevel", "validationAction"];
const notChanged = new Set([
  "viewOn",
  "pipeline",
  "changeStreamPreAndPostImages",
  "expireAfterSeconds",
  "timeseries",
  "cappedSize",
  "cappedMax",
  "dryRun",
]);

export const collMod: Command = (context) => {
  const { command } = context;
  const collection = existing(context, nameOf(command));
  for (const option of command.keys) if (notChanged.has(option)) throw unsupported(`the collMod option ${option}`);
  if (isView(collection) && validation.some((option) => command.has(option)))
    throw new MongoFault("InvalidOptions", "option not supported on a view");
  checkValidator(command);
  checkUnlocked(collection);
  const change = optionalDoc(command, "index");
  if (change !== undefined) changeIndex(context, collection, change);
  let { options } = collection;
  for (const option of validation) {
    const value = command.get(option);
    if (value !== undefined && value !== null) options = options.with(option, value);
  }
  if (options !== collection.options) {
    setOptions(collection, options);
    record(context, collection.db, optionsChanged(collection));
  }
  return Doc.empty;
};

function changeIndex(context: CommandContext, collection: Collection, change: Doc): void {
  const at = collection.indexes.findIndex(
    (index) => index.name === change.get("name") || equals(index.spec.get("key"), change.get("keyPattern")),
  );
  const index = collection.indexes[at];
  if (index === undefined) throw new MongoFault("IndexNotFound", `cannot find index for ns ${namespaceOf(collection)}`);
  const seconds = change.get("expireAfterSeconds");
  if (seconds === undefined || change.keys.some((key) => !["name", "keyPattern", "expireAfterSeconds"].includes(key)))
    throw unsupported("this change of an index");
  const spec = index.spec.with("expireAfterSeconds", seconds);
  collection.indexes[at] = { ...readIndex(spec), list: index.list, pending: index.pending, multikey: index.multikey };
  record(context, collection.db, { kind: "catalog", change: Doc.from({ do: "index", id: collection.id, spec }) });
}

function existing(context: CommandContext, name: string): Collection {
  const collection = findCollection(context, context.db, name);
  if (collection === undefined) throw new MongoFault("NamespaceNotFound", `ns does not exist: ${context.db}.${name}`);
  return collection;
}

export const drop: Command = (context) => {
  const { command, db } = context;
  const name = nameOf(command);
  const collection = findCollection(context, db, name);
  if (collection === undefined) return Doc.from({ ns: `${db}.${name}` });
  dropCollection(context, collection);
  return Doc.from({ nIndexesWas: collection.indexes.length, ns: `${db}.${name}` });
};

export const dropDatabase: Command = (context) => {
  const { db, engine } = context;
  const database = engine.store.databases.get(db);
  if (database === undefined) return Doc.empty;
  for (const collection of database.collections.values()) checkUnlocked(collection);
  for (const collection of database.collections.values()) dropCollection(context, collection);
  context.changes.delete(database);
  removeDatabase(engine.store, database);
  return Doc.from({ dropped: db });
};

export const renameCollection: Command = (context) => {
  const { command, engine } = context;
  const [from, to] = [nameOf(command), command.get("to")];
  if (typeof to !== "string") throw badValue("'to' must be of type String");
  const [fromDb, fromName] = splitNamespace(from);
  const [toDb, toName] = splitNamespace(to);
  checkName(toDb, toName);
  if (fromDb !== toDb) throw unsupported("renaming a collection into another database");
  const source = engine.store.databases.get(fromDb)?.collections.get(fromName);
  if (source === undefined) throw new MongoFault("NamespaceNotFound", `Source collection ${from} does not exist`);
  if (from === to) throw new MongoFault("IllegalOperation", "Can't rename a collection to itself");
  checkUnlocked(source);
  const target = source.db.collections.get(toName);
  if (target !== undefined) {
    if (!flag(command, "dropTarget")) throw new MongoFault("NamespaceExists", "target namespace exists");
    dropCollection(context, target);
  }
  moveCollection(context, source, toName);
  return Doc.empty;
};

function splitNamespace(namespace: string): [string, string] {
  const dot = namespace.indexOf(".");
  if (dot < 1) throw new MongoFault("InvalidNamespace", `Invalid namespace specified: '${namespace}'`);
  return [namespace.slice(0, dot), namespace.slice(dot + 1)];
}

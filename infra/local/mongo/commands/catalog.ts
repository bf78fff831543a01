import { nameOf, optionalDoc } from "../arguments/reading.ts";
import {
  checkName,
  checkUnlocked,
  dropCollection,
  ensureCollection,
  findCollection,
} from "../execution/collections.ts";
import { type Command, type Operating, record } from "../execution/context.ts";
import { evaluation } from "../execution/evaluation.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { readIndex } from "../index/specification.ts";
import { compilePipeline } from "../stages/pipeline.ts";
import { type Collection, namespaceOf, setOptions } from "../storage/catalog.ts";
import { optionsChanged } from "../storage/changes.ts";
import { removeDatabase } from "../storage/store.ts";
import { compileValidator } from "../storage/validator.ts";
import { isView } from "../storage/views.ts";
import { equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";

const kept = ["validator", "validationLevel", "validationAction", "viewOn", "pipeline"];
/** What MongoDB makes of a collection and this server does not. */
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

export const create: Command = (operating) => {
  const { command, db } = operating;
  const name = nameOf(command);
  checkName(db, name);
  for (const [i, option] of command.keys.entries()) {
    const value = command.values[i];
    if (!isLeftOut.has(option) || value === null || value === false) continue;
    if (option === "collation" && value instanceof Doc && (value.size === 0 || value.get("locale") === "simple"))
      continue;
    const existing = findCollection(operating, db, name);
    if (existing !== undefined) throw new MongoFault("NamespaceExists", `Collection ${db}.${name} already exists.`);
    throw unsupported(`the create option ${option}`);
  }
  if (command.has("pipeline") && !command.has("viewOn"))
    throw new MongoFault("InvalidOptions", "'pipeline' requires 'viewOn' to also be specified");
  const options = Doc.from(Object.fromEntries(kept.map((option) => [option, command.get(option) ?? undefined])));
  checkValidator(options);
  const existing = findCollection(operating, db, name);
  if (existing !== undefined) {
    if (equals(existing.options, options)) return Doc.empty;
    throw new MongoFault("NamespaceExists", `Collection ${db}.${name} already exists.`);
  }
  if (options.has("viewOn")) checkPipeline(operating, options);
  ensureCollection(operating, db, name, options);
  return Doc.empty;
};

/** Found wrong now rather than by the first write. */
function checkValidator(options: Doc): void {
  const validator = options.get("validator");
  if (validator instanceof Doc) compileValidator(validator);
}

function checkPipeline(operating: Operating, options: Doc): void {
  const pipeline = options.get("pipeline") ?? [];
  if (!Array.isArray(pipeline)) throw new MongoFault("TypeMismatch", "BSON field 'create.pipeline' must be an array");
  // Compiled only, never opened: mistakes come now rather than at the first read.
  compilePipeline(
    {
      operating,
      db: operating.db,
      collection: String(options.get("viewOn")),
      evaluation: evaluation(operating, undefined),
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

export const collMod: Command = (operating) => {
  const { command } = operating;
  const collection = existing(operating, nameOf(command));
  for (const option of command.keys) if (notChanged.has(option)) throw unsupported(`the collMod option ${option}`);
  if (isView(collection) && validation.some((option) => command.has(option)))
    throw new MongoFault("InvalidOptions", "option not supported on a view");
  checkValidator(command);
  checkUnlocked(collection);
  const change = optionalDoc(command, "index");
  if (change !== undefined) changeIndex(operating, collection, change);
  let { options } = collection;
  for (const option of validation) {
    const value = command.get(option);
    if (value !== undefined && value !== null) options = options.with(option, value);
  }
  if (options !== collection.options) {
    setOptions(collection, options);
    record(operating, collection.db, optionsChanged(collection));
  }
  return Doc.empty;
};

function changeIndex(operating: Operating, collection: Collection, change: Doc): void {
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
  record(operating, collection.db, { kind: "catalog", change: Doc.from({ do: "index", id: collection.id, spec }) });
}

function existing(operating: Operating, name: string): Collection {
  const collection = findCollection(operating, operating.db, name);
  if (collection === undefined) throw new MongoFault("NamespaceNotFound", `ns does not exist: ${operating.db}.${name}`);
  return collection;
}

export const drop: Command = (operating) => {
  const { command, db } = operating;
  const name = nameOf(command);
  const collection = findCollection(operating, db, name);
  if (collection === undefined) return Doc.from({ ns: `${db}.${name}` });
  dropCollection(operating, collection);
  return Doc.from({ nIndexesWas: collection.indexes.length, ns: `${db}.${name}` });
};

export const dropDatabase: Command = (operating) => {
  const { db, engine } = operating;
  const database = engine.store.databases.get(db);
  if (database === undefined) return Doc.empty;
  for (const collection of database.collections.values()) checkUnlocked(collection);
  for (const collection of database.collections.values()) dropCollection(operating, collection);
  operating.changes.delete(database);
  removeDatabase(engine.store, database);
  return Doc.from({ dropped: db });
};

import { openCursor, sourceOf } from "../cursors.ts";
import {
  checkName,
  checkUnlocked,
  ensureCollection,
  evaluation,
  findCollection,
  type Operating,
  record,
} from "../engine.ts";
import { badValue, MongoFault, unsupported } from "../fault.ts";
import { readIndex } from "../index/specification.ts";
import { compileFilter } from "../match/filter.ts";
import { compilePipeline } from "../stages/pipeline.ts";
import { type Collection, namespaceOf, setOptions } from "../storage/catalog.ts";
import { droppedCollection, optionsChanged, renamed } from "../storage/changes.ts";
import { removeDatabase } from "../storage/store.ts";
import { isView } from "../storage/views.ts";
import { equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { Binary, double, type Value } from "../values/types.ts";
import { type Command, checkFields, flag, nameOf, optionalDoc } from "./arguments.ts";

const createFields = new Set([
  "create",
  "validator",
  "validationLevel",
  "validationAction",
  "viewOn",
  "pipeline",
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
  "autoIndexId",
  "idIndex",
]);
const kept = ["validator", "validationLevel", "validationAction", "viewOn", "pipeline"];

export const create: Command = (operating) => {
  const { command, db } = operating;
  checkFields(command, createFields);
  const name = nameOf(command);
  checkName(db, name);
  for (const option of createFields) {
    const value = command.get(option);
    if (option === "create" || kept.includes(option) || value === undefined || value === false) continue;
    if (option === "autoIndexId" || option === "idIndex") continue;
    if (option === "collation" && value instanceof Doc && (value.size === 0 || value.get("locale") === "simple"))
      continue;
    const existing = findCollection(operating, db, name);
    if (existing !== undefined) throw new MongoFault(48, `Collection ${db}.${name} already exists.`);
    throw unsupported(`the create option ${option}`);
  }
  const options = Doc.from(Object.fromEntries(kept.map((option) => [option, command.get(option)])));
  const existing = findCollection(operating, db, name);
  if (existing !== undefined) {
    if (equals(existing.options, options)) return Doc.empty;
    throw new MongoFault(48, `Collection ${db}.${name} already exists.`);
  }
  if (options.has("viewOn")) checkPipeline(operating, options);
  ensureCollection(operating, db, name, options);
  return Doc.empty;
};

function checkPipeline(operating: Operating, options: Doc): void {
  const pipeline = options.get("pipeline") ?? [];
  if (!Array.isArray(pipeline)) throw new MongoFault(14, "BSON field 'create.pipeline' must be an array");
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

export const collMod: Command = (operating) => {
  const { command } = operating;
  checkFields(command, new Set(["collMod", "validator", "validationLevel", "validationAction", "index"]));
  const collection = existing(operating, nameOf(command));
  checkUnlocked(collection);
  const change = optionalDoc(command, "index");
  if (change !== undefined) changeIndex(operating, collection, change);
  let { options } = collection;
  for (const option of ["validator", "validationLevel", "validationAction"]) {
    const value = command.get(option);
    if (value !== undefined) options = options.with(option, value);
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
  if (index === undefined) throw new MongoFault(27, `cannot find index for ns ${namespaceOf(collection)}`);
  const seconds = change.get("expireAfterSeconds");
  if (seconds === undefined || change.keys.some((key) => !["name", "keyPattern", "expireAfterSeconds"].includes(key)))
    throw unsupported("this change of an index");
  const spec = index.spec.with("expireAfterSeconds", seconds);
  collection.indexes[at] = { ...readIndex(spec), list: index.list, pending: index.pending, multikey: index.multikey };
  record(operating, collection.db, { kind: "catalog", change: Doc.from({ do: "index", id: collection.id, spec }) });
}

function existing(operating: Operating, name: string): Collection {
  const collection = findCollection(operating, operating.db, name);
  if (collection === undefined) throw new MongoFault(26, `ns does not exist: ${operating.db}.${name}`);
  return collection;
}

/** Takes a collection out of the catalog. */
export function dropCollection(operating: Operating, collection: Collection): void {
  checkUnlocked(collection);
  const { timeline } = operating.engine;
  timeline.now++;
  if (timeline.open.size > 0) timeline.gone.set(namespaceOf(collection), timeline.now);
  collection.db.collections.delete(collection.name);
  record(operating, collection.db, droppedCollection(collection));
}

export const drop: Command = (operating) => {
  const { command, db } = operating;
  checkFields(command, new Set(["drop"]));
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

export const renameCollection: Command = (operating) => {
  const { command, engine } = operating;
  checkFields(command, new Set(["renameCollection", "to", "dropTarget"]));
  const [from, to] = [nameOf(command), command.get("to")];
  if (typeof to !== "string") throw badValue("'to' must be of type String");
  const [fromDb, fromName] = splitNamespace(from);
  const [toDb, toName] = splitNamespace(to);
  checkName(toDb, toName);
  if (fromDb !== toDb) throw unsupported("renaming a collection into another database");
  const source = engine.store.databases.get(fromDb)?.collections.get(fromName);
  if (source === undefined) throw new MongoFault(26, `Source collection ${from} does not exist`);
  if (from === to) throw new MongoFault(20, "Can't rename a collection to itself");
  checkUnlocked(source);
  const target = source.db.collections.get(toName);
  if (target !== undefined) {
    if (!flag(command, "dropTarget")) throw new MongoFault(48, "target namespace exists");
    dropCollection(operating, target);
  }
  moveCollection(operating, source, toName);
  return Doc.empty;
};

export function moveCollection(operating: Operating, collection: Collection, name: string): void {
  const { timeline } = operating.engine;
  timeline.now++;
  if (timeline.open.size > 0) {
    timeline.gone.set(namespaceOf(collection), timeline.now);
    timeline.gone.set(`${collection.db.name}.${name}`, timeline.now);
  }
  collection.db.collections.delete(collection.name);
  collection.name = name;
  collection.db.collections.set(name, collection);
  record(operating, collection.db, renamed(collection));
}

function splitNamespace(namespace: string): [string, string] {
  const dot = namespace.indexOf(".");
  if (dot < 1) throw new MongoFault(73, `Invalid namespace specified: '${namespace}'`);
  return [namespace.slice(0, dot), namespace.slice(dot + 1)];
}

export const listCollections: Command = (operating) => {
  const { command, db, engine } = operating;
  checkFields(command, new Set(["listCollections", "filter", "nameOnly", "authorizedCollections", "cursor"]));
  const matches = compileFilter(optionalDoc(command, "filter") ?? Doc.empty, evaluation(operating, undefined));
  const collections = [...(engine.store.databases.get(db)?.collections.values() ?? [])].filter(
    ({ creator }) => creator === undefined,
  );
  const docs = collections.map(describe).filter(matches);
  const shown = flag(command, "nameOnly")
    ? docs.map((doc) => Doc.from({ name: doc.get("name"), type: doc.get("type") }))
    : docs;
  return openCursor(engine.cursors, sourceOf(shown), {
    namespace: `${db}.$cmd.listCollections`,
    batchSize: undefined,
    single: false,
    session: undefined,
    time: engine.clock(),
  });
};

function describe(collection: Collection): Doc {
  const view = isView(collection);
  return Doc.from({
    name: collection.name,
    type: view ? "view" : "collection",
    options: collection.options,
    info: view ? Doc.from({ readOnly: true }) : Doc.from({ readOnly: false, uuid: new Binary(4, collection.uuid) }),
    idIndex: view ? undefined : (collection.indexes[0]?.spec as Value),
  });
}

export const listDatabases: Command = (operating) => {
  const { command, engine } = operating;
  checkFields(command, new Set(["listDatabases", "filter", "nameOnly", "authorizedDatabases"]));
  const matches = compileFilter(optionalDoc(command, "filter") ?? Doc.empty, evaluation(operating, undefined));
  const filled = [...engine.store.databases.values()].filter(({ collections }) =>
    [...collections.values()].some(({ creator }) => creator === undefined),
  );
  const docs = filled
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, journal }) => Doc.from({ name, sizeOnDisk: BigInt(journal.size), empty: false }))
    .filter(matches);
  if (flag(command, "nameOnly")) return Doc.from({ databases: docs.map((doc) => Doc.from({ name: doc.get("name") })) });
  const total = docs.reduce((sum, doc) => sum + Number(doc.get("sizeOnDisk")), 0);
  return Doc.from({ databases: docs, totalSize: BigInt(total), totalSizeMb: double(Math.floor(total / 1048576)) });
};

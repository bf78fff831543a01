import { batchSizeOf, docList, nameOf } from "../arguments/reading.ts";
import { checkUnlocked, ensureCollection, findCollection } from "../execution/collections.ts";
import { type Command, type CommandContext, record } from "../execution/context.ts";
import { openList } from "../execution/cursors.ts";
import { badValue, MongoFault } from "../foundation/fault.ts";
import type { Index } from "../index/index.ts";
import { readIndex } from "../index/specification.ts";
import { buildIndex, type Collection } from "../storage/catalog.ts";
import { indexDropped, indexed } from "../storage/operations.ts";
import { equals, identical } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import type { Maybe } from "../values/types.ts";

const indexLimit = 64;

export const createIndexes: Command = (context) => {
  const { command, db } = context;
  const name = nameOf(command);
  const specs = docList(command, "indexes");
  if (specs.length === 0) throw badValue("Must specify at least one index to create");
  const indexes = specs.map(readIndex);
  const isNew = findCollection(context, db, name) === undefined;
  const collection = ensureCollection(context, db, name);
  const before = collection.indexes.length;
  const added = indexes.filter((index) => !alreadyThere(collection, index));
  if (added.length > 0) checkUnlocked(collection);
  if (before + added.length > indexLimit)
    throw new MongoFault("CannotCreateIndex", `add index fails, too many indexes for ${db}.${name}`);
  // All indexes are built before the first is added to the collection.
  for (const index of added) buildIndex(collection, index);
  for (const index of added) {
    collection.indexes.push(index);
    record(context, collection.db, indexed(collection, index.spec));
  }
  return Doc.from({
    numIndexesBefore: before,
    numIndexesAfter: collection.indexes.length,
    createdCollectionAutomatically: isNew,
    note: added.length === 0 ? "all indexes already exist" : undefined,
  });
};

/**
 * Whether the same index exists. Key, collation, filter, unique and sparse identify an index; two that differ in one of
 * these may exist under different names.
 */
function alreadyThere(collection: Collection, index: Index): boolean {
  for (const known of collection.indexes) {
    const isSame = sameIdentity(known, index);
    if (known.name === index.name) {
      if (!isSame)
        throw new MongoFault(
          "IndexKeySpecsConflict",
          `An existing index has the same name as the requested index: ${index.name}`,
        );
      if (known.expireAfterSeconds === index.expireAfterSeconds) return true;
      throw new MongoFault(
        "IndexOptionsConflict",
        `An equivalent index already exists with the same name but different options: ${index.name}`,
      );
    }
    if (!isSame) continue;
    if (known.name === "_id_") return true;
    throw new MongoFault("IndexOptionsConflict", `Index already exists with a different name: ${known.name}`);
  }
  return false;
}

const sameIdentity = (a: Index, b: Index): boolean =>
  a.components.length === b.components.length &&
  a.components.every(
    ({ path, direction }, i) => path === b.components[i]?.path && direction === b.components[i]?.direction,
  ) &&
  a.collation?.name === b.collation?.name &&
  equals(a.partial?.filter, b.partial?.filter) &&
  (a.unique === b.unique || a.name === "_id_") &&
  a.sparse === b.sparse;

export const dropIndexes: Command = (context) => {
  const { command, db } = context;
  const name = nameOf(command);
  const collection = findCollection(context, db, name);
  if (collection === undefined) throw new MongoFault("NamespaceNotFound", `ns not found ${db}.${name}`);
  checkUnlocked(collection);
  const before = collection.indexes.length;
  const gone = chosen(collection, command.get("index"));
  for (const index of gone) {
    collection.indexes.splice(collection.indexes.indexOf(index), 1);
    record(context, collection.db, indexDropped(collection, index.name));
  }
  return Doc.from({ nIndexesWas: before });
};

function chosen(collection: Collection, which: Maybe): Index[] {
  if (which === "*") return collection.indexes.slice(1);
  const list = Array.isArray(which) ? which : [which];
  return list.map((wanted) => {
    const index = collection.indexes.find((known) =>
      typeof wanted === "string"
        ? known.name === wanted
        : identical(direction(known.spec.get("key")), direction(wanted)),
    );
    if (index === undefined)
      throw new MongoFault(
        "IndexNotFound",
        typeof wanted === "string" ? `index not found with name [${wanted}]` : "can't find index with key",
      );
    if (index.name === "_id_") throw new MongoFault("InvalidOptions", "cannot drop _id index");
    return index;
  });
}

/** {a: 1} and {a: 1.0} are the same key. */
const direction = (key: Maybe): Maybe =>
  key instanceof Doc
    ? Doc.of(
        [...key.keys],
        key.values.map((value) => (isNumeric(value) ? Math.sign(toNumber(value)) : value)),
      )
    : key;

export const listIndexes: Command = (context: CommandContext) => {
  const { command, db, engine } = context;
  const name = nameOf(command);
  const collection = findCollection(context, db, name);
  if (collection === undefined) throw new MongoFault("NamespaceNotFound", `ns does not exist: ${db}.${name}`);
  return openList(
    engine.cursors,
    collection.indexes.map((index) => index.spec),
    {
      namespace: `${db}.${name}`,
      batchSize: batchSizeOf(command),
      single: false,
      session: undefined,
      time: engine.clock(),
    },
  );
};

import { flag, nameOf } from "../arguments/reading.ts";
import { checkName, checkUnlocked, dropCollection, moveCollection } from "../execution/collections.ts";
import type { Command } from "../execution/context.ts";
import { badValue, MongoFault, unsupported } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";

export const renameCollection: Command = (operating) => {
  const { command, engine } = operating;
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
    dropCollection(operating, target);
  }
  moveCollection(operating, source, toName);
  return Doc.empty;
};

function splitNamespace(namespace: string): [string, string] {
  const dot = namespace.indexOf(".");
  if (dot < 1) throw new MongoFault("InvalidNamespace", `Invalid namespace specified: '${namespace}'`);
  return [namespace.slice(0, dot), namespace.slice(dot + 1)];
}

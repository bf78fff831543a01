import { Doc } from "../values/document.ts";
import { Binary } from "../values/types.ts";
import type { Collection } from "./catalog.ts";
import type { Operation } from "./operations.ts";

const change = (collection: Collection, what: string, fields: Parameters<typeof Doc.from>[0] = {}): Operation => ({
  kind: "catalog",
  change: Doc.from({ do: what, id: collection.id, ...fields }),
});

export const created = (collection: Collection): Operation =>
  change(collection, "create", {
    name: collection.name,
    options: collection.options,
    uuid: new Binary(4, collection.uuid),
  });
export const droppedCollection = (collection: Collection): Operation => change(collection, "drop");
export const renamed = (collection: Collection): Operation => change(collection, "rename", { name: collection.name });
export const optionsChanged = (collection: Collection): Operation =>
  change(collection, "options", { options: collection.options });
export const indexed = (collection: Collection, spec: Doc): Operation => change(collection, "index", { spec });
export const indexDropped = (collection: Collection, name: string): Operation =>
  change(collection, "dropIndex", { name });

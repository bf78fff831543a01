import type { Doc } from "../values/document.ts";
import type { Collection } from "./catalog.ts";

export const isView = (collection: Collection): boolean => collection.options.has("viewOn");

/** The collection that is read: the collection itself, or the one under a view. */
export const readFrom = (collection: Collection): Collection | undefined =>
  isView(collection) ? collection.db.collections.get(resolveView(collection).name) : collection;

/** The collection under a view (possibly through other views), and the stages of the views. */
export function resolveView(collection: Collection): { name: string; stages: Doc[] } {
  let name = collection.name;
  let current: Collection | undefined = collection;
  let stages: Doc[] = [];
  while (current !== undefined && isView(current)) {
    const own = current.options.get("pipeline");
    stages = [...(Array.isArray(own) ? (own as Doc[]) : []), ...stages];
    name = String(current.options.get("viewOn"));
    current = current.db.collections.get(name);
  }
  return { name, stages };
}

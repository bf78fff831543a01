import { ClientSession, type Collection, type Db, type Document, type MongoClient } from "mongodb";
import { internalCollections, STATE_COLLECTION } from "./documents.ts";

/** The driver's methods that change documents. Each of them increments the collection's counter. */
export const countedMethods: ReadonlySet<string | symbol> = new Set([
  "insertOne",
  "insertMany",
  "updateOne",
  "updateMany",
  "replaceOne",
  "deleteOne",
  "deleteMany",
  "bulkWrite",
  "findOneAndUpdate",
  "findOneAndReplace",
  "findOneAndDelete",
]);

/** Methods that would change documents without being counted. */
export const refusedMethods: ReadonlySet<string | symbol> = new Set([
  "drop",
  "rename",
  "initializeOrderedBulkOp",
  "initializeUnorderedBulkOp",
]);

export interface CountedWrites {
  collection<T extends Document>(name: string): Collection<T>;
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
}

/** Internal collections are never queried, and no object's name has a dot. */
const isQueried = (name: string): boolean => !internalCollections.has(name) && !name.includes(".");

/** Raises for a pipeline that would write. */
export const refuseWritingStages = (pipeline: unknown): void => {
  const last: unknown = Array.isArray(pipeline) ? pipeline.at(-1) : undefined;
  if (typeof last === "object" && last !== null && ("$out" in last || "$merge" in last)) {
    throw new Error("A pipeline may not write a tenant's collections, because the write would not be counted.");
  }
};

/**
 * A tenant's collections. Every write is counted. A cache of what was read from a collection keeps the counter that was
 * read *before* it. The counter is incremented *after* the commit and before the writer is answered. So an answer from
 * the cache is never older than an acknowledged write (docs/decisions/0006). A write that cannot be counted raises: it
 * may have been committed, but it is not acknowledged.
 */
export const countedWrites = (client: MongoClient, db: Db, organizationId: string): CountedWrites => {
  const inTransaction = new WeakMap<ClientSession, Set<string>>();

  const count = async (written: Iterable<string>): Promise<void> => {
    const counters = [...written].filter(isQueried).map((name) => [`collection_versions.${name}`, 1] as const);
    if (counters.length === 0) return;
    await db
      .collection<Document & { _id: string }>(STATE_COLLECTION)
      .updateOne({ _id: organizationId }, { $inc: Object.fromEntries(counters) });
  };

  const write = async (name: string, options: unknown, run: () => unknown): Promise<unknown> => {
    const session = typeof options === "object" && options !== null && "session" in options ? options.session : null;
    if (session instanceof ClientSession) {
      const written = inTransaction.get(session);
      if (written === undefined)
        throw new Error("A tenant's collections are written in the tenant's own transactions.");
      written.add(name);
      return run();
    }
    try {
      return await run();
    } finally {
      // A failed write may have changed something too, such as a part of a batch.
      await count([name]);
    }
  };

  const methodOf = (collection: Collection, key: string | symbol, method: (...args: unknown[]) => unknown) => {
    const { collectionName: name } = collection;
    if (refusedMethods.has(key)) throw new Error(`A tenant's collections have no ${String(key)}().`);
    if (countedMethods.has(key)) {
      return (...args: unknown[]) => write(name, args.at(-1), () => Reflect.apply(method, collection, args));
    }
    if (key !== "aggregate") return method.bind(collection);
    return (...args: unknown[]) => {
      refuseWritingStages(args[0]);
      return Reflect.apply(method, collection, args);
    };
  };

  return {
    collection: <T extends Document>(name: string) =>
      new Proxy(db.collection<T>(name), {
        get: (collection, key) => {
          const value: unknown = Reflect.get(collection, key, collection);
          if (typeof value !== "function") return value;
          return methodOf(collection as unknown as Collection, key, value as (...args: unknown[]) => unknown);
        },
      }),
    transaction: async (work) => {
      const written = new Set<string>();
      const result = await client.withSession((session) => {
        inTransaction.set(session, written);
        return session.withTransaction(() => {
          written.clear();
          return work(session);
        });
      });
      await count(written);
      return result;
    },
  };
};

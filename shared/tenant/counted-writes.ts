import { ClientSession, type Collection, type Db, type Document, type MongoClient } from "mongodb";
import { internalCollections, keptCollections, STATE_COLLECTION } from "./documents.ts";
import { refuseReplacedCopy } from "./gate.ts";
import { passFence } from "./write-fence.ts";

/** The driver's methods that change documents, with the position of their options. */
const optionsAt: ReadonlyMap<string | symbol, number> = new Map([
  ["insertOne", 1],
  ["insertMany", 1],
  ["updateOne", 2],
  ["updateMany", 2],
  ["replaceOne", 2],
  ["deleteOne", 1],
  ["deleteMany", 1],
  ["bulkWrite", 1],
  ["findOneAndUpdate", 2],
  ["findOneAndReplace", 2],
  ["findOneAndDelete", 1],
]);

/** Each of them increments the collection's counter. */
export const countedMethods: ReadonlySet<string | symbol> = new Set(optionsAt.keys());

/** Methods that would change documents without being counted. */
export const refusedMethods: ReadonlySet<string | symbol> = new Set([
  "drop",
  "rename",
  "initializeOrderedBulkOp",
  "initializeUnorderedBulkOp",
]);

/** They run outside of transactions, so that in a sandbox they are checked before and no more (docs/decisions/0035). */
const indexMethods: ReadonlySet<string | symbol> = new Set([
  "createIndex",
  "createIndexes",
  "dropIndex",
  "dropIndexes",
]);

/** One copy of an organization's data. */
export interface Copy {
  readonly organization_id: string;
  /** Of the registry entry when it was opened. Null for the first. */
  readonly generation: string | null;
  readonly is_sandbox: boolean;
  /** Of a sandbox: the organization that it is a copy of. */
  readonly parent_id?: string;
}

export interface CountedWrites {
  collection<T extends Document>(name: string): Collection<T>;
  transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T>;
}

/** Internal collections are never queried, and no object's name has a dot. */
const isQueried = (name: string): boolean => !internalCollections.has(name) && !name.includes(".");

/**
 * Whether a write outside of transactions must pass the fence: it must not reach the next copy. The state is kept, but
 * parts of it, such as the indexes that were built, describe one copy.
 */
const isFenced = (name: string): boolean => !keptCollections.has(name) || name === STATE_COLLECTION;

const sessionIn = (options: unknown): ClientSession | null =>
  typeof options === "object" && options !== null && "session" in options && options.session instanceof ClientSession
    ? options.session
    : null;

/** The arguments of a method, with the session in its options. */
const withSession = (args: readonly unknown[], at: number, session: ClientSession): unknown[] => {
  const given = [...args.slice(0, at), ...Array(Math.max(0, at - args.length))];
  const options: unknown = args[at];
  return [...given, { ...(typeof options === "object" ? options : {}), session }];
};

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
 *
 * In a sandbox, every write of data passes the write fence in its transaction, so that none reaches another copy than
 * the one that was opened (docs/decisions/0035). `onRefused` is called before `sandbox_refreshing` is raised.
 */
export const countedWrites = (
  client: MongoClient,
  db: Db,
  copy: Copy,
  onRefused: () => void = () => undefined,
): CountedWrites => {
  const { organization_id, generation, is_sandbox } = copy;
  const inTransaction = new WeakMap<ClientSession, Set<string>>();
  // Counters of a replaced copy are of no use to the next one.
  const counted = is_sandbox ? { _id: organization_id, generation } : { _id: organization_id };

  const count = async (written: Iterable<string>): Promise<void> => {
    const counters = [...written].filter(isQueried).map((name) => [`collection_versions.${name}`, 1] as const);
    if (counters.length === 0) return;
    await db
      .collection<Document & { _id: string }>(STATE_COLLECTION)
      .updateOne(counted, { $inc: Object.fromEntries(counters) });
  };

  const refused = (error: unknown): never => {
    onRefused();
    throw error;
  };

  const transaction: CountedWrites["transaction"] = async (work) => {
    const written = new Set<string>();
    const result = await client.withSession((session) => {
      inTransaction.set(session, written);
      return session.withTransaction(async () => {
        written.clear();
        if (is_sandbox) await passFence(db, generation, session).catch(refused);
        return work(session);
      });
    });
    await count(written);
    return result;
  };

  const write = async (
    name: string,
    session: ClientSession | null,
    run: (session: ClientSession | null) => unknown,
  ): Promise<unknown> => {
    if (session !== null) {
      const written = inTransaction.get(session);
      if (written === undefined)
        throw new Error("A tenant's collections are written in the tenant's own transactions.");
      written.add(name);
      return run(session);
    }
    if (is_sandbox && isFenced(name)) return transaction((own) => write(name, own, run));
    try {
      return await run(null);
    } finally {
      // A failed write may have changed something too, such as a part of a batch.
      await count([name]);
    }
  };

  const methodOf = (collection: Collection, key: string | symbol, method: (...args: unknown[]) => unknown) => {
    const { collectionName: name } = collection;
    if (refusedMethods.has(key)) throw new Error(`A tenant's collections have no ${String(key)}().`);
    const at = optionsAt.get(key);
    if (at !== undefined) {
      return (...args: unknown[]) =>
        write(name, sessionIn(args[at]), (session) =>
          Reflect.apply(method, collection, session === null ? args : withSession(args, at, session)),
        );
    }
    if (is_sandbox && indexMethods.has(key)) {
      return async (...args: unknown[]) => {
        await refuseReplacedCopy({ ...copy, collection: tenantCollection }).catch(refused);
        return Reflect.apply(method, collection, args);
      };
    }
    if (key !== "aggregate") return method.bind(collection);
    return (...args: unknown[]) => {
      refuseWritingStages(args[0]);
      return Reflect.apply(method, collection, args);
    };
  };

  const tenantCollection: CountedWrites["collection"] = <T extends Document>(name: string) =>
    new Proxy(db.collection<T>(name), {
      get: (collection, key) => {
        const value: unknown = Reflect.get(collection, key, collection);
        if (typeof value !== "function") return value;
        return methodOf(collection as unknown as Collection, key, value as (...args: unknown[]) => unknown);
      },
    });

  return { collection: tenantCollection, transaction };
};

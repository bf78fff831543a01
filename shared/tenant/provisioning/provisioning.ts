/**
 * The door for copies of organizations, beside the tenant router. Only tasks of workflows and scheduled jobs have the
 * database user that it needs: it may copy, rename and drop. It reads the parent, and writes the sandbox alone.
 */
import type { Db, Document, IndexDescription } from "mongodb";
import { provisioningClient, provisioningClusterNames } from "../clusters.ts";
import { type OrganizationState, STATE_COLLECTION } from "../documents.ts";
import { closeFence, createFence, openFence } from "../write-fence.ts";

/** Begins the names of copies that are not in use yet. No object's name begins so. */
const NEXT_PREFIX = "__next_";

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof Error && "code" in error && error.code === code;

export interface SandboxPlace {
  readonly sandbox_id: string;
  readonly parent_id: string;
  readonly cluster: string;
}

export interface CopyOptions {
  readonly maxTimeMS: number;
}

/** The generation of a copy of the data; undefined before the first one. */
type Copy = string | undefined;

const ofCopy = (generation: Copy) => (generation === undefined ? { $exists: false } : { $eq: generation });

type Stored = Document & { _id: string };

const unlessCode = async (code: number, work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!hasCode(error, code)) throw error;
  }
};

const unlessMissing = (work: () => Promise<unknown>): Promise<void> => unlessCode(NAMESPACE_NOT_FOUND, work);

const namesOf = async (db: Db): Promise<string[]> =>
  (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);

/** The names that databases of sandboxes have. */
const SANDBOX_DATABASE = /^org_[a-z0-9]+_s_[a-z0-9_]+$/;

/** All databases of sandboxes, on all clusters. */
export const sandboxDatabases = async (): Promise<{ readonly cluster: string; readonly name: string }[]> => {
  const found = await Promise.all(
    (await provisioningClusterNames()).map(async (cluster) => {
      const client = await provisioningClient(cluster);
      const filter = { name: SANDBOX_DATABASE };
      const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true, filter });
      return databases.map(({ name }) => ({ cluster, name }));
    }),
  );
  return found.flat();
};

/** Drops the database of a sandbox that is not in the registry. */
export const dropOrphan = async ({
  cluster,
  name,
}: {
  readonly cluster: string;
  readonly name: string;
}): Promise<void> => {
  if (!SANDBOX_DATABASE.test(name)) throw new Error(`${name} is not the database of a sandbox.`);
  await (await provisioningClient(cluster)).db(name).dropDatabase();
};

/** The name of a copy that is being made. `token` is unique for each attempt. */
export const nextName = (runId: string, token: string, collection: string): string =>
  `${NEXT_PREFIX}${runId}_${token}_${collection}`;

export const isNextName = (name: string): boolean => name.startsWith(NEXT_PREFIX);

export const isNextNameOf = (name: string, runId: string): boolean => name.startsWith(`${NEXT_PREFIX}${runId}_`);

/** Opens the databases of a sandbox and its parent. */
export const openProvisioning = async ({ sandbox_id, parent_id, cluster }: SandboxPlace) => {
  const client = await provisioningClient(cluster);
  const [sandbox, parent] = [client.db(sandbox_id), client.db(parent_id)];
  const states = sandbox.collection<OrganizationState>(STATE_COLLECTION);
  return {
    /** Reads a collection of the parent. */
    read: <T extends Document>(collection: string, pipeline: readonly Document[]): Promise<T[]> =>
      parent
        .collection(collection)
        .aggregate<T>([...pipeline])
        .toArray(),
    /** Reads a collection of the sandbox. */
    own: <T extends Document>(collection: string, pipeline: readonly Document[]): Promise<T[]> =>
      sandbox
        .collection(collection)
        .aggregate<T>([...pipeline])
        .toArray(),
    parentState: () => parent.collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: parent_id }),
    /** Copies documents of the parent into a collection of the sandbox, which they replace at once. */
    copy: async (
      from: string,
      pipeline: readonly Document[],
      to: string,
      { maxTimeMS }: CopyOptions,
    ): Promise<void> => {
      const stages = [...pipeline, { $out: { db: sandbox_id, coll: to } }];
      await parent.collection(from).aggregate(stages, { maxTimeMS, allowDiskUse: true }).toArray();
    },
    /** The ids of all documents of a collection of the sandbox. */
    ids: async (collection: string): Promise<string[]> =>
      (
        await sandbox
          .collection<Stored>(collection)
          .find({}, { projection: { _id: 1 } })
          .toArray()
      ).map(({ _id }) => _id),
    /** Repeatable. */
    createCollection: (collection: string): Promise<void> =>
      unlessCode(NAMESPACE_EXISTS, () => sandbox.createCollection(collection)),
    createIndexes: async (collection: string, indexes: readonly IndexDescription[]): Promise<void> => {
      if (indexes.length > 0) await sandbox.collection(collection).createIndexes([...indexes]);
    },
    collections: () => namesOf(sandbox),
    /** Repeatable: nothing is done if there is no collection of that name any more. */
    replace: (from: string, to: string): Promise<void> =>
      unlessMissing(() => sandbox.renameCollection(from, to, { dropTarget: true })),
    drop: (collection: string): Promise<void> => unlessMissing(() => sandbox.dropCollection(collection)),
    dropDatabase: async (): Promise<void> => {
      await sandbox.dropDatabase();
    },
    state: () => states.findOne({ _id: sandbox_id }),
    createState: async (state: OrganizationState): Promise<void> => {
      await states.updateOne({ _id: sandbox_id }, { $setOnInsert: state }, { upsert: true });
    },
    /**
     * Refuses requests from now on. False if the sandbox does not have this copy of the data any more, or is deleted.
     * Repeatable.
     */
    raiseGate: async (copy: Copy): Promise<boolean> => {
      const statuses = ["active", "refreshing", "provisioning"] as const;
      const filter = { _id: sandbox_id, generation: ofCopy(copy), status: { $in: [...statuses] } };
      return (await states.updateOne(filter, { $set: { status: "refreshing" } })).matchedCount === 1;
    },
    /** Whether the gate is up in front of this copy of the data. */
    isGated: async (copy: Copy): Promise<boolean> =>
      (await states.countDocuments({ _id: sandbox_id, generation: ofCopy(copy), status: "refreshing" })) === 1,
    /** Replaces the state of a copy in front of which the gate is up. False if that is not so any more. */
    replaceState: async (copy: Copy, { _id, ...state }: OrganizationState): Promise<boolean> => {
      const filter = { _id, generation: ofCopy(copy), status: "refreshing" as const };
      return (await states.replaceOne(filter, state)).matchedCount === 1;
    },
    /** No request is let in any more. */
    closeForEver: async (): Promise<void> => {
      await states.updateOne({ _id: sandbox_id }, { $set: { status: "deleting" } });
    },
    /** Sessions of users who are not in the list end. */
    endSessionsOfOthers: async (collection: string, users: readonly string[]): Promise<void> => {
      await sandbox.collection(collection).deleteMany({ user_id: { $nin: [...users] } });
    },
    createFence: (generation: string) => createFence(sandbox, generation),
    openFence: (generation: string) => openFence(sandbox, generation),
    closeFence: (next: string, maxTimeMS: number) => closeFence(sandbox, next, maxTimeMS),
  };
};

export type Provisioning = Awaited<ReturnType<typeof openProvisioning>>;

import type { Db, Document, MongoClient } from "mongodb";

type Stored = Document & { _id: unknown };

const withoutLists = ({ organizations: _, ...user }: Stored): object => user;
const withoutCounters = ({ collection_versions: _, ...state }: Stored): object => state;

const comparable: Readonly<Record<string, (document: Stored) => object>> = {
  user: withoutLists,
  organization_state: withoutCounters,
};

/** Every document of a production database as JSON, but for what operations on sandboxes may change there. */
export const dumpOfProduction = async (mongo: MongoClient, id: string): Promise<Record<string, string[]>> => {
  const db = mongo.db(id);
  const dump: Record<string, string[]> = {};
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (name === "sandbox_link" || name === "audit_entry") continue;
    const documents = await db.collection<Stored>(name).find().sort({ _id: 1 }).toArray();
    dump[name] = documents.map((document) => JSON.stringify((comparable[name] ?? ((same) => same))(document)));
  }
  return dump;
};

type Entry = Document & { _id: string };

const usersOf = (db: Db) => db.collection<Entry>("user");

const registryFaults = async (mongo: MongoClient, parentId: string, entries: readonly Entry[]): Promise<string[]> => {
  const parent = await mongo.db("base").collection<Entry>("organization").findOne({ _id: parentId });
  const counted = parent?.sandboxes ?? 0;
  const { databases } = await mongo.db("admin").admin().listDatabases({ nameOnly: true });
  const links = await mongo.db(parentId).collection<Entry>("sandbox_link").find().toArray();
  const isKnown = (id: string): boolean => entries.some(({ _id }) => _id === id);
  const isLinked = ({ _id, instance, run }: Entry): boolean =>
    entries.some((entry) => entry._id === _id && entry.sandbox.instance === instance && run === undefined);
  return [
    ...(counted === entries.length ? [] : [`${counted} are counted, not ${entries.length}`]),
    ...databases
      .filter(({ name }) => name.startsWith(`${parentId}_s_`) && !isKnown(name))
      .map(({ name }) => `the database ${name} has no sandbox`),
    ...links
      .filter((link) => !isLinked(link) && entries.find(({ _id }) => _id === link._id)?.sandbox.status !== "failed")
      .map(({ _id }) => `the link ${_id} is wrong`),
  ];
};

const failedFaults = ({ _id, sandbox }: Entry, names: readonly string[]): string[] => [
  ...(sandbox.status === "failed" && sandbox.failure !== undefined ? [] : [`${_id} is ${sandbox.status}`]),
  ...(names.length === 0 ? [] : [`${_id} has failed and has ${names.join()}`]),
];

const activeFaults = async (db: Db, { _id, generation, sandbox }: Entry): Promise<string[]> => {
  const state = await db.collection<Entry>("organization_state").findOne({ _id });
  const fences = await db.collection("write_fence").countDocuments({ generation });
  const users = await usersOf(db).countDocuments();
  return [
    ...(state?.status === "active" ? [] : [`${_id} has the state ${state?.status}`]),
    ...(state?.generation === generation ? [] : [`${_id} has two generations`]),
    ...(fences === 16 ? [] : [`${_id} has ${fences} open fences`]),
    ...(users === sandbox.users ? [] : [`${_id} counts ${sandbox.users} users, not ${users}`]),
  ];
};

const sandboxFaults = async (db: Db, entry: Entry): Promise<string[]> => {
  const { _id, status, sandbox } = entry;
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const isActive = sandbox.status === "active";
  return [
    ...(sandbox.run === undefined ? [] : [`${_id} has a run`]),
    ...(sandbox.changing === undefined ? [] : [`${_id} is being changed`]),
    ...(status === (isActive ? "active" : "provisioning") ? [] : [`${_id} is registered as ${status}`]),
    ...names.filter((name) => name.startsWith("__next_")).map((name) => `${_id} has ${name}`),
    ...(isActive ? await activeFaults(db, entry) : failedFaults(entry, names)),
  ];
};

/** Every user has the sandboxes in the list that they are users of, once, and no others. */
const listFaults = async (
  place: string,
  db: Db,
  parentId: string,
  inside: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<string[]> => {
  const users = await usersOf(db)
    .find({ "organizations.id": { $regex: `^${parentId}` } })
    .toArray();
  return users.flatMap(({ _id, organizations }) => {
    const ids: string[] = organizations.map(({ id }: { id: string }) => id);
    const listed = ids.filter((id) => id.startsWith(`${parentId}_s_`)).toSorted();
    const right = [...inside].flatMap(([id, people]) => (people.has(_id) ? [id] : [])).toSorted();
    return listed.join() === right.join() ? [] : [`${_id} lists ${listed} in ${place}, not ${right}`];
  });
};

/** What is wrong with the sandboxes of an organization on which nothing runs. Empty if all is right. */
export const faultsOf = async (mongo: MongoClient, parentId: string): Promise<string[]> => {
  const registry = mongo.db("base").collection<Entry>("organization");
  const entries = await registry.find({ parent_organization_id: parentId }).toArray();
  const inside = new Map<string, ReadonlySet<string>>();
  for (const { _id, sandbox } of entries) {
    const users = sandbox.status === "active" ? await usersOf(mongo.db(_id)).find().toArray() : [];
    inside.set(_id, new Set(users.map((user) => user._id)));
  }
  const ofEach = await Promise.all(entries.map((entry) => sandboxFaults(mongo.db(entry._id), entry)));
  return [
    ...(await registryFaults(mongo, parentId, entries)),
    ...ofEach.flat(),
    ...(await listFaults("base", mongo.db("base"), parentId, inside)),
    ...(await listFaults("production", mongo.db(parentId), parentId, inside)),
  ];
};

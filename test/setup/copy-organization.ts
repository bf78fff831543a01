import type { Document, MongoClient } from "mongodb";

export type Stored = Document & { _id: string };

const COPIED = ["organization_state", "admitted_session", "user", "permission", "schemas", "organization", "lead"];

/** The documents of one organization: collection → documents. */
type Contents = ReadonlyMap<string, readonly Stored[]>;

const contentsOf = async (mongo: MongoClient, id: string): Promise<Contents> => {
  const read = async (name: string) => [name, await mongo.db(id).collection<Stored>(name).find().toArray()] as const;
  return new Map((await Promise.all(COPIED.map(read))).filter(([, documents]) => documents.length > 0));
};

const store = async (mongo: MongoClient, contents: Contents, from: string, to: string): Promise<void> => {
  const target = mongo.db(to);
  for (const [name, documents] of contents) {
    const renamed = documents.map((document) => (document._id === from ? { ...document, _id: to, id: to } : document));
    await target.collection<Stored>(name).insertMany(renamed);
  }
};

/** Copies an organization's database, which is faster than registering. Gives the ids of the copies. */
export const copyOrganizations = async (mongo: MongoClient, from: string, copies: number): Promise<string[]> => {
  const ids = Array.from({ length: copies }, (_, index) => `org_copy${String(index).padStart(12, "0")}`);
  const contents = await contentsOf(mongo, from);
  for (let start = 0; start < ids.length; start += 50) {
    await Promise.all(ids.slice(start, start + 50).map((id) => store(mongo, contents, from, id)));
  }
  const registry = mongo.db("base").collection<Stored>("organization");
  const entry = await registry.findOne({ _id: from });
  await registry.insertMany(ids.map((id) => ({ ...entry, _id: id, slug: id }) as Stored));
  return ids;
};

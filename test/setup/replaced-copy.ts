import type { Db, MongoClient } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { closeFence, createFence, openFence } from "#shared/tenant/write-fence";

interface Stored {
  _id: string;
}

const registryOf = (mongo: MongoClient) => mongo.db("base").collection<Stored>("organization");
const stateOf = (mongo: MongoClient, id: string) => mongo.db(id).collection<Stored>("organization_state");

/** Makes a sandbox of an organization, by hand. Gives its generation. */
export const makeSandbox = async (mongo: MongoClient, id: string): Promise<string> => {
  const generation = uuidv7();
  await createFence(mongo.db(id), generation);
  await registryOf(mongo).updateOne({ _id: id }, { $set: { is_sandbox: true, generation } });
  await stateOf(mongo, id).updateOne({ _id: id }, { $set: { generation } });
  return generation;
};

export const setStatus = async (mongo: MongoClient, id: string, status: string): Promise<void> => {
  await stateOf(mongo, id).updateOne({ _id: id }, { $set: { status } });
};

/** A pause between two commands. */
type Turn = (before: string) => Promise<unknown>;

/**
 * Replaces the data of a sandbox as a refresh does: `replace` runs while the gate is up and the fence is closed. Gives
 * the next generation. The versions in the state stay as they are.
 */
export const replaceCopy = async (
  mongo: MongoClient,
  id: string,
  replace: (db: Db) => Promise<unknown>,
  turn: Turn = async () => undefined,
): Promise<string> => {
  const generation = uuidv7();
  const db = mongo.db(id);
  await turn("gate up");
  await setStatus(mongo, id, "refreshing");
  await turn("fence closed");
  await closeFence(db, generation, 10_000);
  await turn("data replaced");
  await replace(db);
  await turn("registry");
  await registryOf(mongo).updateOne({ _id: id }, { $set: { generation } });
  await turn("state");
  await stateOf(mongo, id).updateOne({ _id: id }, { $set: { generation } });
  await turn("fence open");
  await openFence(db, generation);
  await turn("gate down");
  await setStatus(mongo, id, "active");
  return generation;
};

/** A refresh that is given up after the fence was closed: the data and its generation stay. */
export const giveUpCopy = async (mongo: MongoClient, id: string, generation: string, turn: Turn): Promise<void> => {
  await turn("gate up");
  await setStatus(mongo, id, "refreshing");
  await turn("fence closed");
  await closeFence(mongo.db(id), uuidv7(), 10_000);
  await turn("fence open again");
  await closeFence(mongo.db(id), generation, 10_000);
  await openFence(mongo.db(id), generation);
  await turn("gate down");
  await setStatus(mongo, id, "active");
};

/** The pipeline's result takes the place of the collection at once, as a copy of a refresh does. */
export const replaceCollection = async (db: Db, name: string, change: object[]): Promise<void> => {
  const next = `__next_test_${name}`;
  await db
    .collection(name)
    .aggregate([...change, { $out: next }])
    .toArray();
  await db.collection(next).rename(name, { dropTarget: true });
};

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BSON, type Collection, type Db, type Document, MongoClient, MongoServerError } from "mongodb";
import { expect } from "vitest";
import { type RunningServer, startServer } from "../../../infra/local/mongo/server.ts";

/** Tests use numbers as ids, or none. */
export interface Row extends Document {
  _id?: number;
}

/** The database in this process. Tests use it with the driver, over a socket. */
export interface TestDatabase {
  readonly server: RunningServer;
  readonly client: MongoClient;
  readonly db: Db;
  readonly clock: { ms: number };
  /** A collection of its own for each test, filled with the given documents. */
  seed(...docs: Document[]): Promise<Collection<Row>>;
  close(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const directory = await temporaryDirectory();
  const clock = { ms: Date.UTC(2026, 0, 15, 12) };
  const server = await startServer({ directory, port: 0, log: () => undefined, clock: () => clock.ms });
  const client = await new MongoClient(server.uri).connect();
  const db = client.db("test");
  let made = 0;
  return {
    server,
    client,
    db,
    clock,
    async seed(...docs) {
      const collection = db.collection<Row>(`c${++made}`);
      if (docs.length > 0) await collection.insertMany(docs as Row[]);
      return collection;
    },
    async close() {
      await client.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const temporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), "tenantry-mongo-"));

/** Values with their types: 5, Long 5 and Double 5 differ. */
export const exactly = (value: unknown): unknown =>
  JSON.parse(BSON.EJSON.stringify({ value }, { relaxed: false })).value;

export function expectExactly(actual: unknown, expected: unknown): void {
  expect(exactly(actual)).toEqual(exactly(expected));
  // toEqual ignores the order of fields.
  expect(JSON.stringify(exactly(actual))).toBe(JSON.stringify(exactly(expected)));
}

/** Keeps the types that the driver would convert to JavaScript numbers. */
export const typed = { promoteValues: false, promoteLongs: false } as const;

export async function failure(action: Promise<unknown>): Promise<MongoServerError> {
  try {
    await action;
  } catch (error) {
    if (error instanceof MongoServerError) return error;
    throw error;
  }
  throw new Error("expected the server to refuse this");
}

export const codeOf = async (action: Promise<unknown>): Promise<number | string | undefined> =>
  (await failure(action)).code;

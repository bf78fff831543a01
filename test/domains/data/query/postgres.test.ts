import { randomBytes } from "node:crypto";
import type { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, it } from "vitest";
import { databaseClient } from "../../../platform.ts";
import { agreeOnMany } from "./postgres/agreement.ts";
import { type Postgres, startPostgres } from "./postgres/oracle.ts";

let client: MongoClient;
let db: Db;
let postgres: Postgres;

beforeAll(async () => {
  [client, postgres] = await Promise.all([databaseClient(), startPostgres()]);
  db = client.db(`postgres_${randomBytes(6).toString("hex")}`);
});

afterAll(async () => {
  await db.dropDatabase();
  await Promise.all([client.close(), postgres.stop()]);
});

/** `npm run fuzz` runs ten thousand, with new seeds each time. */
describe("any query gives PostgreSQL's result", () => {
  it.each([1, 2, 3])("over the records of seed %i", (seed) => agreeOnMany(db, postgres, seed, 200));
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { startEmbeddedMongo } from "../../infra/local/mongo/start.ts";
import { agreeOnMany } from "../domains/data/query/postgres/agreement.ts";
import { startPostgres } from "../domains/data/query/postgres/oracle.ts";

const DATASETS = 20;
const QUERIES = 10_000;

/** Compares 10,000 queries over twenty sets of records with PostgreSQL. `MONGODB_URI` for another database. */
export const fuzz = async (seed: number): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), "tenantry-fuzz-"));
  const embedded = process.env.MONGODB_URI ? undefined : await startEmbeddedMongo({ dataDir: directory });
  const client = await new MongoClient(embedded?.uri ?? process.env.MONGODB_URI ?? "").connect();
  const db = client.db(`fuzz_${process.pid}`);
  const postgres = await startPostgres();
  try {
    for (let dataset = 0; dataset < DATASETS; dataset += 1) {
      await agreeOnMany(db, postgres, (seed + dataset) % 2 ** 31, QUERIES / DATASETS);
    }
  } finally {
    await db.dropDatabase();
    await client.close();
    await postgres.stop();
    await embedded?.stop();
    await rm(directory, { recursive: true, force: true });
  }
};

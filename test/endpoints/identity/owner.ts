import type { MongoClient } from "mongodb";
import { afterAll, beforeAll } from "vitest";
import { databaseClient, registerOrganization, type User } from "../../platform.ts";

/** A file that imports this has, from its first test on, a connection to the database and the owner of a new organization. */
export let mongo: MongoClient;
export let owner: User;
beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
});
afterAll(() => mongo.close());

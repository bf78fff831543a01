import type { MongoClient } from "mongodb";
import { afterAll, beforeAll } from "vitest";
import { databaseClient, registerOrganization, type User } from "../../platform.ts";

export let mongo: MongoClient;
export let owner: User;

/**
 * Call it at the start of a test file: it opens `mongo`, a connection to the database, and registers an organization
 * for the file, with the owner `owner`. Files of one worker run one after the other and share this module.
 */
export const useOwner = (): void => {
  beforeAll(async () => {
    mongo = await databaseClient();
    owner = await registerOrganization();
  });
  afterAll(() => mongo.close());
};

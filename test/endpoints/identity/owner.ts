import type { MongoClient } from "mongodb";
import { afterAll, beforeAll } from "vitest";
import { databaseClient, registerOrganization, type User } from "../../platform.ts";

export let mongo: MongoClient;
export let owner: User;

/**
 * For the start of a test file: opens `mongo`, a connection to the database, and registers an organization of the file's
 * own, whose owner is `owner`. Files of one worker run one after the other and share this module, so each calls it.
 */
export const useOwner = (): void => {
  beforeAll(async () => {
    mongo = await databaseClient();
    owner = await registerOrganization();
  });
  afterAll(() => mongo.close());
};

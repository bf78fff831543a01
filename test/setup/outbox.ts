import type { Db } from "mongodb";
import { expect, vi } from "vitest";
import { databaseClient, type User } from "../platform.ts";

/** Waits until every message in this outbox is handled, and those that handling them has queued. */
export const outboxIsHandled = (database: Db): Promise<void> => {
  const open = () => database.collection("_outbox").countDocuments({ status: { $ne: "failed" } });
  return vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 240_000, interval: 50 });
};

/**
 * Waits until every message of an organization is handled, and those that handling them has queued. Only failed ones
 * are left then.
 */
export const messagesAreHandled = async ({ organizationId }: Pick<User, "organizationId">): Promise<void> => {
  const mongo = await databaseClient();
  try {
    await outboxIsHandled(mongo.db(organizationId));
  } finally {
    await mongo.close();
  }
};

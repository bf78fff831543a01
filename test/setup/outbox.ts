import { expect } from "vitest";
import { databaseClient, type User } from "../platform.ts";

/**
 * Waits until every message of an organization is handled, and those that handling them has queued. Only failed ones
 * are left then.
 */
export const messagesAreHandled = async ({ organizationId }: Pick<User, "organizationId">): Promise<void> => {
  const mongo = await databaseClient();
  try {
    const outbox = mongo.db(organizationId).collection("_outbox");
    const open = () => outbox.countDocuments({ status: { $ne: "failed" } });
    await expect.poll(open, { timeout: 240_000 }).toBe(0);
  } finally {
    await mongo.close();
  }
};

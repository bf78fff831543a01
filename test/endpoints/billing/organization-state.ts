import { databaseClient } from "../../platform.ts";

/** Lets the time of an organization for a payment end at this moment, as the platform itself stores it. */
export const endWrites = async (organizationId: string, at = new Date(Date.now() - 1000)): Promise<void> => {
  const client = await databaseClient();
  await client
    .db(organizationId)
    .collection("organization_state")
    .updateOne({}, { $set: { writes_end_at: at } });
  await client.close();
};

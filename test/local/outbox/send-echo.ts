import { addToOutbox, messageFor, openOrganization } from "#shared/tenant/tenant";
import { echo } from "./contract.ts";

interface Asked {
  readonly organization: string;
  readonly payloads: readonly { readonly key: string }[];
  readonly rollBack?: boolean;
}

/** Commits messages in a transaction of an organization, and gives the ids of their entries. */
export const handler = async ({ organization, payloads, rollBack = false }: Asked): Promise<string[]> => {
  const database = await openOrganization(organization);
  if (database === null) throw new Error(`There is no organization ${organization}.`);
  return database.transaction(async (session) => {
    const entries = payloads.map((payload) => messageFor(echo, payload));
    const ids = await addToOutbox(database, session, entries);
    if (rollBack) throw new Error("rolled back");
    return ids;
  });
};

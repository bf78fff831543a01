import { log } from "#shared/foundation/log";
import { base, type TenantDatabase } from "#shared/tenant/tenant";
import type { Origin } from "../trail.ts";
import { notifyOwners } from "./notify.ts";

/** The clients that act alone and whose responsible administrator is one of these users. */
const answeredBy = async (organization_id: string, userIds: readonly string[]): Promise<string[]> => {
  const { oauthClients } = await base();
  const of = { $in: [...userIds] };
  const answered = { $or: [{ adopted_by: of }, { adopted_by: { $exists: false }, created_by: of }] };
  const found = await oauthClients
    .find({ organization_id, run_as: { $ne: null }, ...answered }, { projection: { name: 1 }, sort: { _id: 1 } })
    .toArray();
  return found.map(({ _id, name }) => `${name} (${_id})`);
};

/**
 * Tells the owners which clients cannot act alone any more, because their responsible administrator is no administrator
 * now. It never raises.
 */
export const notifyOfStoppedClients = async (
  database: Pick<TenantDatabase, "collection" | "organization_id" | "is_sandbox">,
  userIds: readonly string[],
  origin: Origin,
): Promise<void> => {
  if (userIds.length === 0) return;
  try {
    const clients = await answeredBy(database.organization_id, userIds);
    if (clients.length > 0) await notifyOwners(database, { kind: "clients_stopped", clients }, { origin });
  } catch (err) {
    log.error(
      { err, organization: database.organization_id },
      "the owners could not be told which clients have stopped",
    );
  }
};

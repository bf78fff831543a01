import { itemsWithSchedules, removeSchedules, SCHEDULED_ITEM } from "#shared/data/records/scheduling/scheduling";
import { leaveFiles } from "#shared/documents/documents";
import { base } from "#shared/tenant/tenant";
import { leaveAllLists } from "../lists.ts";
import { isSandbox } from "../registry.ts";
import { completeStep, holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";

/** From here on no request is let into the sandbox. */
export const closeStep = async (input: RunInput): Promise<void> => {
  await (await provisioningOf(await holdRun(input, "close"))).closeForEver();
  await completeStep(input, "close");
};

export const leaveListsStep = async (input: RunInput): Promise<void> => {
  await leaveAllLists(await holdRun(input, "leave-lists"), { "sandbox.run.id": input.run_id });
  await completeStep(input, "leave-lists");
};

/**
 * Removes the schedules of its items, and what the sandbox has in the base database: its apps with their codes and
 * sessions, and its place in the sessions of people, who stay signed in to their other organizations.
 */
export const removeBelongingsStep = async (input: RunInput): Promise<void> => {
  const entry = await holdRun(input, "remove-belongings");
  const { _id } = entry;
  const provisioning = await provisioningOf(entry);
  await removeSchedules(_id, await provisioning.own(SCHEDULED_ITEM, itemsWithSchedules));
  const { oauthClients, authorizationCodes, sessions, refreshTokens } = await base();
  const clients = await oauthClients.find({ organization_id: _id }, { projection: { _id: 1 } }).toArray();
  const ofClients = { client_id: { $in: clients.map((client) => client._id) } };
  const ofApps = { $or: [ofClients, { organization_id: _id, client_id: { $exists: true } }] };
  const ended = await sessions.find(ofApps, { projection: { _id: 1 } }).toArray();
  await refreshTokens.deleteMany({ session_id: { $in: ended.map((session) => session._id) } });
  await sessions.deleteMany(ofApps);
  await authorizationCodes.deleteMany({ $or: [ofClients, { organization_id: _id }] });
  await oauthClients.deleteMany({ organization_id: _id });
  await sessions.updateMany({ organizations: _id }, { $pull: { organizations: _id } });
  await completeStep(input, "remove-belongings");
};

export const dropDatabaseStep = async (input: RunInput): Promise<void> => {
  await (await provisioningOf(await holdRun(input, "drop-database"))).dropDatabase();
  // After the documents are gone, because the job keeps files that have one.
  await leaveFiles(input.sandbox_id);
  await completeStep(input, "drop-database");
};

/** Removes the registry entry, and with it the run. Repeatable. */
export const unregisterStep = async ({ sandbox_id, run_id }: RunInput): Promise<void> => {
  const { organizations, clusters, transaction } = await base();
  await transaction(async (session) => {
    const entry = await organizations.findOneAndDelete({ _id: sandbox_id, "sandbox.run.id": run_id }, { session });
    if (!isSandbox(entry)) return;
    const { cluster, parent_organization_id } = entry;
    await clusters.updateOne({ _id: cluster }, { $inc: { organizations: -1 } }, { session });
    await organizations.updateOne({ _id: parent_organization_id }, { $inc: { sandboxes: -1 } }, { session });
  });
};

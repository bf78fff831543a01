import { accessOf, requireAccess } from "#shared/data/access/access";
import { arrayBatches, cutRows } from "#shared/foundation/cut-rows";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { type AvailabilityChange, changeAvailability } from "./availability.ts";
import { takeBeat } from "./beat.ts";
import { readStatuses, sightOf, type UserStatus } from "./read.ts";
import type { PresenceStatus } from "./rules.ts";

/** Users may read all of their own record. */
const ownStatus = async (tenant: Tenant, id: string): Promise<UserStatus> => {
  const [status] = await readStatuses(tenant, { _id: id }, () => true);
  if (status === undefined) throw new Fault("record_not_found");
  return status;
};

/**
 * A heartbeat of the caller's device, which is their session, at the time when it was received. It is one small write
 * without a lock or a counter. Answers the device's current status. Raises `forbidden` if `user` is not the caller.
 */
export const reportStatus = (
  tenant: Tenant,
  { user, status }: { readonly user: string; readonly status: PresenceStatus },
  at: Date,
) => takeBeat(tenant, user, { at, status });

/** Raises `forbidden` if a member changes the status of somebody else, and `record_not_found`. */
export const setAvailability = async (tenant: Tenant, change: AvailabilityChange): Promise<UserStatus> =>
  ownStatus(tenant, await changeAvailability(tenant, change));

export const statusOfCaller = (tenant: Tenant): Promise<UserStatus> => ownStatus(tenant, tenant.caller.id);

/** Raises `forbidden` without the right to read users, and `record_not_found`. */
export const statusOfUser = async (tenant: Tenant, id: string): Promise<UserStatus> => {
  if (id === tenant.caller.id) return ownStatus(tenant, id);
  const access = await accessOf(tenant);
  requireAccess(access, "user", "read");
  const [status] = await readStatuses(tenant, { _id: id }, sightOf(access));
  if (status === undefined) throw new Fault("record_not_found");
  return status;
};

/** The users after the id `after`, up to 5 MB. Raises `forbidden` without the right to read users. */
export const listStatuses = async (
  tenant: Tenant,
  after?: string,
): Promise<{ users: UserStatus[]; truncated?: true }> => {
  const access = await accessOf(tenant);
  requireAccess(access, "user", "read");
  const ids = after === undefined ? {} : { _id: { $gt: after } };
  const users = await readStatuses(tenant, ids, sightOf(access));
  const cut = await cutRows(arrayBatches(users), (user) => user);
  if (cut === null) throw new Error("The status of one user is larger than a reply may be.");
  return cut.truncated ? { users: cut.rows, truncated: true } : { users: cut.rows };
};

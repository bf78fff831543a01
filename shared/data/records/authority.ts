import type { ClientSession } from "mongodb";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { isAdministrator, type OrganizationState, STATE_COLLECTION, type UserRights } from "#shared/tenant/tenant";
import type { Changes } from "./check-record.ts";
import { refuseRoleCircles } from "./role-circles.ts";
import { collectionOf, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** Fields of a user that decide what the user may do. */
const authorityFields = ["is_account_owner", "is_account_admin", "is_active", "permissions", "role"];

/** Objects whose records decide what users may do. */
const authorityObjects: ReadonlySet<string> = new Set(["permission", "role"]);

/** A record before a change. `changes` is null if it will be deleted. */
export interface PendingChange {
  readonly before: StoredRecord;
  readonly changes: Changes | null;
}

/**
 * Increments the access version, so that the change counts from the next request on. Two concurrent transactions that
 * each remove another owner conflict on this write, so that they cannot remove the last owner together.
 */
const incrementAccessVersion = async ({ tenant }: Target, session: ClientSession): Promise<void> => {
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne({ _id: tenant.organization_id }, { $inc: { access_version: 1 } }, { session });
};

/**
 * Refuses a caller who is no administrator (or owner) any more. It reads in the transaction, after the access version
 * was incremented: of two administrators who demote each other at the same time, the second is refused. Raises
 * `forbidden`.
 */
const requireCurrentRights = async ({ tenant }: Target, session: ClientSession): Promise<void> => {
  const { id, responsible, is_superuser, is_account_owner } = tenant.caller;
  // Superusers have no user record here.
  if (is_superuser) return;
  const ids = [...new Set([id, ...(responsible === null ? [] : [responsible])])];
  const projection = { is_active: 1, is_account_owner: 1, is_account_admin: 1 };
  const users = await tenant
    .collection<UserRights>("user")
    .find({ _id: { $in: ids } }, { session, projection })
    .toArray();
  const holds = users.length === ids.length && users.every(isAdministrator);
  const owns = !is_account_owner || users.some((user) => user._id === id && user.is_account_owner === true);
  if (!holds || !owns) {
    throw new Fault("forbidden", { message: "Somebody else has changed your rights at the same time." });
  }
};

const changesAuthority = ({ changes }: PendingChange): boolean =>
  changes === null || authorityFields.some((name) => Object.hasOwn(changes, name));

const isOwner = (user: StoredRecord): boolean => user.is_account_owner === true && user.is_active === true;

const staysOwner = ({ before, changes }: PendingChange): boolean =>
  changes !== null && isOwner({ ...before, ...changes });

/** Only owners may change the rights of owners, so that an admin cannot take over the organization. */
const guardOwners = async (
  target: Target,
  pending: readonly PendingChange[],
  session: ClientSession,
): Promise<void> => {
  const { caller } = target.tenant;
  const owners = pending.filter((step) => step.before.is_account_owner === true && changesAuthority(step));
  if (owners.length > 0 && !caller.is_account_owner && !caller.is_superuser) {
    throw new Fault("forbidden", { message: "Only an account owner may change what an account owner may do." });
  }
  const leaving = owners.filter((step) => isOwner(step.before) && !staysOwner(step)).map(({ before }) => before._id);
  if (leaving.length === 0) return;
  const staying = await collectionOf(target).findOne(
    { is_account_owner: true, is_active: true, _id: { $nin: leaving } },
    { session, projection: { _id: 1 } },
  );
  if (staying === null) throw new Fault("last_owner");
};

/** Copies the settings that requests need to the organization state, which every request reads. */
const copySettings = async (
  target: Target,
  pending: readonly PendingChange[],
  session: ClientSession,
): Promise<void> => {
  const { tenant } = target;
  const settings = pending[0]?.changes?.settings;
  if (settings === undefined) return;
  const { require_second_factor, audit_retention_days: days, country } = isObject(settings) ? settings : {};
  const copied = {
    ...(typeof days === "number" && { audit_retention_days: days }),
    ...(typeof country === "string" && { country }),
  };
  const removed = ["audit_retention_days", "country"].filter((name) => !Object.hasOwn(copied, name));
  await tenant.collection<OrganizationState>(STATE_COLLECTION).updateOne(
    { _id: tenant.organization_id },
    {
      $set: { second_factor_required: require_second_factor === true, ...copied },
      ...(removed.length > 0 && { $unset: Object.fromEntries(removed.map((name) => [name, ""])) }),
    },
    { session },
  );
  await requireCurrentRights(target, session);
};

/** For new permissions and roles: a user may refer to one before it exists. Raises `forbidden`. */
export const guardNewAuthority = async (target: Target, session: ClientSession): Promise<void> => {
  if (!authorityObjects.has(target.object)) return;
  await incrementAccessVersion(target, session);
  await requireCurrentRights(target, session);
};

/**
 * Checks changes of rights, in the transaction of the write. Raises `forbidden`, `last_owner` and, for roles,
 * `validation_failed`.
 */
export const guardAuthority = async (
  target: Target,
  pending: readonly PendingChange[],
  session: ClientSession,
): Promise<void> => {
  // There is exactly one `organization` record.
  if (target.object === "organization") await copySettings(target, pending, session);
  if (authorityObjects.has(target.object)) await guardNewAuthority(target, session);
  if (target.object === "role") await refuseRoleCircles(target, pending, session);
  if (target.object !== "user" || !pending.some(changesAuthority)) return;
  await incrementAccessVersion(target, session);
  await requireCurrentRights(target, session);
  await guardOwners(target, pending, session);
};

/** Sets `active_since` of a reactivated user, which ends all older sessions. The field is in no schema. */
export const activationStamp = ({ object }: Target, { before, changes }: PendingChange): Changes =>
  object === "user" && changes?.is_active === true && before.is_active !== true ? { active_since: now() } : {};

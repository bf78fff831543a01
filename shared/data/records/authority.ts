import type { ClientSession } from "mongodb";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { isAdministrator, type OrganizationState, STATE_COLLECTION, type UserRights } from "#shared/tenant/tenant";
import type { Changes } from "./check-record.ts";
import { collectionOf, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";
import { authority, rights } from "./trailed.ts";
import { isObject } from "./values/json.ts";

/** One record that is about to change. `changes` null means that it is about to be deleted. */
export interface Step {
  readonly before: StoredRecord;
  readonly changes: Changes | null;
}

/**
 * Moves the access version, so that the change counts from the next request on. It also is what two transactions that
 * each take away another owner's standing collide on, so that together they cannot take away the last one.
 */
const moveAccessVersion = async ({ tenant }: Target, session: ClientSession): Promise<void> => {
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne({ _id: tenant.organization_id }, { $inc: { access_version: 1 } }, { session });
};

/**
 * Whether the caller still holds what they were let in with. Read in the transaction, after the access version was moved: of
 * two administrators who take each other's standing away at the same time, the second one has lost theirs by then. Raises
 * `forbidden`.
 */
const demandStanding = async ({ tenant }: Target, session: ClientSession): Promise<void> => {
  const { id, responsible, is_superuser, is_account_owner } = tenant.caller;
  // That is no business of this organization, and stands in the session.
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
    throw new Fault("forbidden", { message: "Somebody else has changed what you may do at the same moment." });
  }
};

const changesAuthority = ({ changes }: Step): boolean =>
  changes === null || authority.some((name) => Object.hasOwn(changes, name));

const isOwner = (user: StoredRecord): boolean => user.is_account_owner === true && user.is_active === true;

const staysOwner = ({ before, changes }: Step): boolean => changes !== null && isOwner({ ...before, ...changes });

/** Only an owner may touch an owner's standing: else an admin could take the organization over. */
const guardOwners = async (target: Target, steps: readonly Step[], session: ClientSession): Promise<void> => {
  const { caller } = target.tenant;
  const owners = steps.filter((step) => step.before.is_account_owner === true && changesAuthority(step));
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

/** What the organization requires of everybody is read with every request: so it also stands where requests look. */
const keepRequirement = async (target: Target, steps: readonly Step[], session: ClientSession): Promise<void> => {
  const { tenant } = target;
  const settings = steps[0]?.changes?.settings;
  if (settings === undefined) return;
  const second_factor_required = isObject(settings) && settings.require_second_factor === true;
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne({ _id: tenant.organization_id }, { $set: { second_factor_required } }, { session });
  await demandStanding(target, session);
};

/** A new permission or role may be one that users name already. Raises `forbidden`. */
export const noteNewRights = async (target: Target, session: ClientSession): Promise<void> => {
  if (!rights.has(target.object)) return;
  await moveAccessVersion(target, session);
  await demandStanding(target, session);
};

/** Rules of objects that hold authority. Runs in the transaction of the write; raises `forbidden`, `last_owner`. */
export const guardAuthority = async (target: Target, steps: readonly Step[], session: ClientSession): Promise<void> => {
  // An organization has exactly one record of itself.
  if (target.object === "organization") await keepRequirement(target, steps, session);
  if (rights.has(target.object)) await noteNewRights(target, session);
  if (target.object !== "user" || !steps.some(changesAuthority)) return;
  await moveAccessVersion(target, session);
  await demandStanding(target, session);
  await guardOwners(target, steps, session);
};

/** A user who is active again has a moment that no session of before outlives. It is the platform's and in no schema. */
export const activation = ({ object }: Target, { before, changes }: Step): Changes =>
  object === "user" && changes?.is_active === true && before.is_active !== true ? { active_since: now() } : {};

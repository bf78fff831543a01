import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { opaqueToken } from "#shared/foundation/tokens/tokens";
import {
  base,
  ensureBaseIndexes,
  type Identity,
  type OrganizationListEntry,
  type OrganizationState,
  openOrganization,
  STATE_COLLECTION,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { hashPassword } from "../credentials/password-hash.ts";
import { type LeakedPasswords, passwordIssues, personalWords } from "../credentials/password-policy.ts";
import { invite } from "./invitation.ts";
import { noteNewUser, tellOfNewOwner } from "./new-user-trail.ts";
import { ownerOfEmail } from "./registration-hold.ts";
import { type RecordDocument, type Reference, userRecord } from "./tenant-records.ts";

export interface NewUser {
  readonly organization_id: string;
  /** Normalised. */
  readonly email: string;
  readonly name: string;
  /** Only for an email that has no identity yet. Without it the person is mailed a link to choose one. */
  readonly password?: string | undefined;
  readonly is_account_admin: boolean;
  readonly is_account_owner: boolean;
  /** Only for an email that has no identity yet. */
  readonly two_factor: "off" | "email";
  /** Ids or names of permission records. */
  readonly permissions: readonly string[];
}

const openActive = async (id: string): Promise<{ database: TenantDatabase; organization: OrganizationListEntry }> => {
  const { organizations } = await base();
  const entry = await organizations.findOne({ _id: id, status: "active", is_sandbox: false });
  const database = entry === null ? null : await openOrganization(id);
  if (entry === null || database === null) {
    throw new Fault("record_not_found", { message: `There is no active organization with the id ${id}.` });
  }
  return { database, organization: { id, name: entry.name } };
};

const permissionReferences = async (database: TenantDatabase, wanted: readonly string[]): Promise<Reference[]> => {
  const records = await database
    .collection<{ _id: string; name: string }>("permission")
    .find({ $or: [{ _id: { $in: [...wanted] } }, { name: { $in: [...wanted] } }] })
    .toArray();
  const unknown = wanted.filter((one) => !records.some(({ _id, name }) => _id === one || name === one));
  refuseIfAny(
    unknown.map((input) => ({
      loc: ["body", "permissions"],
      msg: `There is no permission "${input}".`,
      type: "not_found",
    })),
  );
  return records.map(({ _id, name }) => ({ id: _id, schema: "permission", name }));
};

const newIdentity = async (
  { email, name, password, two_factor }: NewUser,
  organization: OrganizationListEntry,
): Promise<Identity> => ({
  _id: uuidv7(),
  email,
  name,
  first_name: null,
  last_name: null,
  // Without a password this is the hash of a random value.
  password_hash: await hashPassword(password ?? opaqueToken("none")),
  email_confirmed: false,
  is_active: true,
  is_superuser: false,
  two_factor,
  organizations: [organization],
  last_organization_id: null,
  created_date: now(),
  modified_date: now(),
});

/** The identity with that email. If there is none, it is created with the organization in its list. */
const ensureIdentity = async (
  user: NewUser,
  organization: OrganizationListEntry,
  leaked: LeakedPasswords,
): Promise<Identity> => {
  const existing = await ownerOfEmail(user.email);
  if (existing !== null) return existing;
  const words = personalWords(user.email, organization.name);
  if (user.password !== undefined) refuseIfAny(passwordIssues(user.password, words, leaked));
  const { users } = await base();
  const identity = await newIdentity(user, organization);
  try {
    await users.insertOne(identity);
    return identity;
  } catch (error) {
    const taken = isDuplicateKey(error);
    const rival = taken ? await ownerOfEmail(user.email) : null;
    if (rival === null) throw error;
    return rival;
  }
};

/** An unconfirmed identity of another organization may belong to a stranger who registered with this email. */
const refuseStranger = ({ email_confirmed, organizations }: Identity, organizationId: string): void => {
  if (email_confirmed === true || organizations.some(({ id }) => id === organizationId)) return;
  throw new Fault("email_not_confirmed");
};

/**
 * Adds a person to an organization: identity, then user record, then the entry in the identity's list. They can work in
 * the organization once the last two exist. Each step may be repeated, so the next run completes an interrupted one.
 * Raises `record_not_found` for an unknown organization, `validation_failed`, `email_taken` while the person registers,
 * and `email_not_confirmed` for a person of another organization whose email is not confirmed. Without a password it
 * also raises `too_many_attempts` and `dependency_unavailable`, after everything except the mail is done.
 */
export const createUser = async (
  user: NewUser,
  leaked: LeakedPasswords,
  requestId?: string,
): Promise<{ id: string; email: string; invited: boolean }> => {
  await ensureBaseIndexes();
  const { users } = await base();
  const { database, organization } = await openActive(user.organization_id);
  const permissions = await permissionReferences(database, user.permissions);
  const identity = await ensureIdentity(user, organization, leaked);
  refuseStranger(identity, organization.id);
  const isListed = identity.organizations.some(({ id }) => id === organization.id);
  const { is_account_owner, is_account_admin } = user;
  const { _id, ...record } = userRecord(
    identity,
    { organization, is_account_owner, is_account_admin, permissions },
    now(),
  );
  // A listed person may have been a user here before. Their earlier sessions must not act for the new record.
  const $setOnInsert = isListed ? { ...record, active_since: now() } : record;
  const isNew = await database.transaction(async (session) => {
    const users = database.collection<RecordDocument>("user");
    const { upsertedCount } = await users.updateOne({ _id }, { $setOnInsert }, { session, upsert: true });
    if (upsertedCount === 0) return false;
    // The records of a person who was here before may belong to the branch of a role again.
    await database
      .collection<OrganizationState>(STATE_COLLECTION)
      .updateOne({ _id: organization.id }, { $inc: { access_version: 1 } }, { session });
    await noteNewUser(database, { _id, ...record }, requestId, session);
    return true;
  });
  if (isNew && is_account_owner) await tellOfNewOwner(database, { _id, ...record }, requestId);
  await users.updateOne(
    { _id: identity._id, "organizations.id": { $ne: organization.id } },
    { $push: { organizations: organization } },
  );
  const invited = user.password === undefined && identity.email_confirmed !== true;
  if (invited) await invite(identity);
  return { id: identity._id, email: identity.email, invited };
};

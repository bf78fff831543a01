import type { ClientSession } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { thisRelease } from "#shared/migrations/ledger/ledger";
import { type Base, base, type Identity, type OrganizationEntry, reserveInCluster } from "#shared/tenant/tenant";
import { clearOrganizationDatabase, type NewOrganization } from "./new-organization.ts";
import { newOrganizationId, slugCandidates } from "./slug.ts";

/** Longer than any registration runs. An unfinished one that is older was interrupted. */
const HOLD_MS = 60_000;
const SLUG_ATTEMPTS = 6;

/**
 * The email, slug and place on a cluster that a registration reserves. Its identity holds the email but cannot sign in,
 * its registry entry says `provisioning`, and its organization is in nobody's list. Nobody can see it before
 * `activateRegistration`.
 */
export interface RegistrationHold {
  readonly identity: Identity;
  readonly organization: NewOrganization;
}

const identityOf = (applicant: Identity, organizationId: string): Identity => ({
  ...applicant,
  is_active: false,
  organizations: [],
  last_organization_id: null,
  registering: { organization_id: organizationId, claimed_at: now() },
});

const entryOf = ({ id, name, slug, cluster }: NewOrganization): OrganizationEntry => ({
  _id: id,
  name,
  slug,
  cluster,
  status: "provisioning",
  is_sandbox: false,
  parent_organization_id: null,
  created_date: now(),
  migrated: thisRelease().id,
});

const storeHold = async (applicant: Identity, name: string, slug: string): Promise<RegistrationHold> => {
  const { users, organizations, transaction } = await base();
  const id = newOrganizationId();
  return transaction(async (session) => {
    const identity = identityOf(applicant, id);
    await users.insertOne(identity, { session });
    const organization: NewOrganization = { id, name, slug, cluster: await reserveInCluster(session) };
    await organizations.insertOne(entryOf(organization), { session });
    return { identity, organization };
  });
};

/** Reserves the email, a slug and a place on a cluster in one transaction. Raises `email_taken`. */
export const holdRegistration = async (applicant: Identity, organizationName: string): Promise<RegistrationHold> => {
  const { users } = await base();
  for (const slug of slugCandidates(organizationName, SLUG_ATTEMPTS)) {
    try {
      return await storeHold(applicant, organizationName, slug);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      const rival = await users.findOne({ email: applicant.email }, { projection: { _id: 1 } });
      if (rival !== null) throw new Fault("email_taken");
    }
  }
  throw new Error("No free slug was found for a new organization.");
};

/** Activates identity and organization in one transaction, together with what `alongside` writes. */
export const activateRegistration = async (
  { identity, organization: { id, name } }: RegistrationHold,
  alongside: (collections: Base, session: ClientSession) => Promise<void>,
): Promise<void> => {
  const collections = await base();
  await collections.transaction(async (session) => {
    const registered = await collections.users.updateOne(
      { _id: identity._id, "registering.organization_id": id },
      {
        $set: { is_active: true, organizations: [{ id, name }], last_organization_id: id, modified_date: now() },
        $unset: { registering: "" },
      },
      { session },
    );
    const opened = await collections.organizations.updateOne(
      { _id: id, status: "provisioning" },
      { $set: { status: "active" } },
      { session },
    );
    if (registered.matchedCount !== 1 || opened.matchedCount !== 1) {
      throw new Error("The registration took too long and was removed.");
    }
    await alongside(collections, session);
  });
};

/**
 * Removes an unfinished registration. May be repeated, and may run while the registration is still running: without the
 * identity it cannot be activated, and if it was activated first nothing is changed.
 */
export const abandonRegistration = async (identityId: string, organizationId: string): Promise<void> => {
  const { users, organizations, clusters, transaction } = await base();
  await users.deleteOne({ _id: identityId, "registering.organization_id": organizationId });
  const entry = await organizations.findOne({ _id: organizationId, status: "provisioning" });
  if (entry === null) return;
  await clearOrganizationDatabase({ id: organizationId, cluster: entry.cluster });
  await transaction(async (session) => {
    const removed = await organizations.deleteOne({ _id: organizationId, status: "provisioning" }, { session });
    if (removed.deletedCount === 1) {
      await clusters.updateOne({ _id: entry.cluster }, { $inc: { organizations: -1 } }, { session });
    }
  });
};

/**
 * The identity with this email, or null. An interrupted registration with it is removed first.
 * Raises `email_taken` while a registration with it is running.
 */
export const ownerOfEmail = async (email: string): Promise<Identity | null> => {
  const { users } = await base();
  const holder = await users.findOne({ email });
  if (holder?.registering === undefined) return holder;
  const { organization_id, claimed_at } = holder.registering;
  if (claimed_at.getTime() > nowMillis() - HOLD_MS) {
    throw new Fault("email_taken", { message: "A registration with this email is under way." });
  }
  await abandonRegistration(holder._id, organization_id);
  return null;
};

import { type ClientSession, MongoServerError } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type Base, base, claimCluster, type Identity, type OrganizationEntry } from "#shared/tenant/tenant";
import { clearOrganizationDatabase, type NewOrganization } from "./new-organization.ts";
import { newOrganizationId, slugCandidates } from "./slug.ts";

/** No registration runs this long: one that is older and unfinished was cut off. */
const CLAIM_MS = 60_000;
const SLUG_ATTEMPTS = 6;
const DUPLICATE_KEY = 11000;

/**
 * A registration under way. Its identity holds the email but cannot sign in, its registry entry says `provisioning`, and its
 * organization is in nobody's list: nothing of it can be seen before `activate`.
 */
export interface Claim {
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
});

const store = async (applicant: Identity, name: string, slug: string): Promise<Claim> => {
  const { users, organizations, transaction } = await base();
  const id = newOrganizationId();
  return transaction(async (session) => {
    const identity = identityOf(applicant, id);
    await users.insertOne(identity, { session });
    const organization: NewOrganization = { id, name, slug, cluster: await claimCluster(session) };
    await organizations.insertOne(entryOf(organization), { session });
    return { identity, organization };
  });
};

/** Takes the email, a slug and a place on a cluster, all at once. Raises `email_taken`. */
export const claim = async (applicant: Identity, organizationName: string): Promise<Claim> => {
  const { users } = await base();
  for (const slug of slugCandidates(organizationName, SLUG_ATTEMPTS)) {
    try {
      return await store(applicant, organizationName, slug);
    } catch (error) {
      if (!(error instanceof MongoServerError && error.code === DUPLICATE_KEY)) throw error;
      const rival = await users.findOne({ email: applicant.email }, { projection: { _id: 1 } });
      if (rival !== null) throw new Fault("email_taken");
    }
  }
  throw new Error("No free slug was found for a new organization.");
};

/** Makes identity and organization real in one transaction, together with what `alongside` writes. */
export const activate = async (
  { identity, organization: { id, name } }: Claim,
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
      throw new Error("The registration took so long that it was given up.");
    }
    await alongside(collections, session);
  });
};

/**
 * Takes back an unfinished registration. May be repeated, and may run beside a registration that is alive after all: once the
 * identity is gone that one cannot be activated, and if it was activated first nothing is touched.
 */
export const abandon = async (identityId: string, organizationId: string): Promise<void> => {
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

/** Whose email this is; an unfinished registration that was cut off is cleared away first. Raises `email_taken` for a live one. */
export const ownerOfEmail = async (email: string): Promise<Identity | null> => {
  const { users } = await base();
  const holder = await users.findOne({ email });
  if (holder?.registering === undefined) return holder;
  const { organization_id, claimed_at } = holder.registering;
  if (claimed_at.getTime() > nowMillis() - CLAIM_MS) {
    throw new Fault("email_taken", { message: "A registration with this email is under way." });
  }
  await abandon(holder._id, organization_id);
  return null;
};

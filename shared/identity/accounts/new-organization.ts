import { provisionStandardObjects } from "#shared/data/schema/schema";
import { now } from "#shared/foundation/clock";
import { ledgerOf, writeNewLedger } from "#shared/migrations/ledger/ledger";
import {
  ensureOwnIndexes,
  type OrganizationState,
  openPlacedOrganization,
  SESSION_COLLECTION,
  STATE_COLLECTION,
} from "#shared/tenant/tenant";
import { ensureTrailIndexes, TRAIL_OBJECT } from "#shared/trail/trail";
import {
  organizationRecord,
  type Person,
  type RecordDocument,
  standardPermissionRecord,
  userRecord,
} from "./tenant-records.ts";

/** An organization that is being set up. */
export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly cluster: string;
}

/** Writes everything that a new organization's database holds, in one transaction. */
export const createOrganizationDatabase = async (organization: NewOrganization, owner: Person): Promise<void> => {
  const { id, name, slug, cluster } = organization;
  const database = await openPlacedOrganization({ _id: id, cluster, is_sandbox: false });
  const at = now();
  const permission = standardPermissionRecord(owner, at);
  const user = userRecord(
    owner,
    {
      organization: { id, name },
      is_account_owner: true,
      is_account_admin: true,
      permissions: [],
    },
    at,
  );
  await Promise.all([ensureOwnIndexes(database), ensureTrailIndexes(database)]);
  const state: OrganizationState = {
    _id: id,
    status: "active",
    schema_version: 1,
    access_version: 1,
    has_readers: true,
    indexed: {},
  };
  await database.transaction(async (session) => {
    await database.collection<OrganizationState>(STATE_COLLECTION).insertOne(state, { session });
    await provisionStandardObjects(database, session);
    await writeNewLedger(database, session);
    await database
      .collection<RecordDocument>("organization")
      .insertOne(organizationRecord({ id, name, slug }, owner, at), { session });
    await database.collection<RecordDocument>("permission").insertOne(permission, { session });
    await database.collection<RecordDocument>("user").insertOne(user, { session });
  });
};

/** Undoes `createOrganizationDatabase`. These functions may not drop a database, so its documents are deleted. */
export const clearOrganizationDatabase = async ({
  id,
  cluster,
}: Pick<NewOrganization, "id" | "cluster">): Promise<void> => {
  const database = await openPlacedOrganization({ _id: id, cluster, is_sandbox: false });
  for (const name of [
    STATE_COLLECTION,
    SESSION_COLLECTION,
    "schemas",
    "organization",
    "permission",
    "user",
    TRAIL_OBJECT,
  ]) {
    await database.collection(name).deleteMany({});
  }
  await ledgerOf(database).deleteMany({});
};

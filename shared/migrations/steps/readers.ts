import type { Document } from "mongodb";
import { type OrganizationState, READERS_FIELD, readersExpression, STATE_COLLECTION } from "#shared/tenant/tenant";
import type { MigratedOrganization, TenantStep } from "./step.ts";

type Stored = Document & { _id: string };

const BATCH = 2_000;

const without = { [READERS_FIELD]: { $exists: false } } as const;

/** The ids of records without readers, after `last`. */
const nextIds = async ({ collection }: MigratedOrganization, name: string, last: string): Promise<string[]> => {
  const found = await collection<Stored>(name)
    .find({ ...without, _id: { $gt: last } }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(BATCH)
    .toArray();
  return found.map(({ _id }) => _id);
};

/** Gives the readers to all records of a collection that have none, from the record as it is at that moment. */
const addReaders = async (organization: MigratedOrganization, name: string): Promise<number> => {
  let modified = 0;
  for (let ids = await nextIds(organization, name, ""); ids.length > 0; ) {
    const { modifiedCount } = await organization
      .collection<Stored>(name)
      .updateMany({ ...without, _id: { $in: ids } }, [{ $set: { [READERS_FIELD]: readersExpression } }]);
    modified += modifiedCount;
    ids = await nextIds(organization, name, ids.at(-1) ?? "");
  }
  return modified;
};

/**
 * Gives every record the keys of its readers, in the collections of deleted objects too, and then lets the row filters
 * rely on them.
 */
export const readers: TenantStep = {
  run: async (organization) => {
    const { organization_id: _id, collection, collectionNames } = organization;
    let records = 0;
    for (const name of await collectionNames()) records += await addReaders(organization, name);
    await collection<OrganizationState>(STATE_COLLECTION).updateOne(
      { _id, has_readers: { $ne: true } },
      { $set: { has_readers: true }, $inc: { access_version: 1 } },
    );
    return records === 0 ? {} : { records };
  },
  preview: async ({ collection, collectionNames }) => {
    let records = 0;
    for (const name of await collectionNames()) records += await collection(name).countDocuments(without);
    return records === 0 ? {} : { records };
  },
};

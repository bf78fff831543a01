import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { STANDARD_PERMISSION } from "#contracts/identity-bodies";
import { type Identity, newRecord, type OrganizationListEntry } from "#shared/tenant/tenant";

/** A record's reference to another one. */
export interface Reference {
  readonly id: string;
  readonly schema: string;
  readonly name: string;
}

export type RecordDocument = Document & { _id: string; id: string };

const BUSINESS_OBJECTS = ["lead", "contact", "company", "task", "note", "invoice"] as const;

export type Person = Pick<Identity, "_id" | "name" | "email" | "first_name" | "last_name">;

const userReference = (person: Pick<Person, "_id" | "name">): Reference => ({
  id: person._id,
  schema: "user",
  name: person.name,
});

export interface Membership {
  readonly organization: OrganizationListEntry;
  readonly is_account_owner: boolean;
  readonly is_account_admin: boolean;
  readonly permissions: readonly Reference[];
}

export const userRecord = (person: Person, { organization, ...membership }: Membership, at: Date): RecordDocument =>
  newRecord(
    person._id,
    {
      name: person.name,
      email: person.email,
      ...(person.first_name === null ? {} : { first_name: person.first_name }),
      ...(person.last_name === null ? {} : { last_name: person.last_name }),
      is_active: true,
      ...membership,
      // Only this organization. The person's other ones are in their identity, which nobody here may read.
      organizations: [organization],
      organization_id: organization.id,
      organization_name: organization.name,
    },
    { by: userReference(person), at },
  );

export const organizationRecord = (
  organization: OrganizationListEntry & { readonly slug: string },
  owner: Person,
  at: Date,
): RecordDocument =>
  newRecord(
    organization.id,
    {
      name: organization.name,
      slug: organization.slug,
      is_sandbox: false,
      status: "active",
      settings: {},
      billing: { plan: "free", status: "active" },
    },
    { by: userReference(owner), at },
  );

export const standardPermissionRecord = (creator: Person, at: Date): RecordDocument => {
  const everything = { create: true, read: true, update: true, delete: true };
  return newRecord(
    uuidv7(),
    {
      name: STANDARD_PERMISSION,
      description: "Works with leads, contacts, companies, tasks, notes and invoices, and sees who the colleagues are.",
      object_permissions: {
        ...Object.fromEntries(BUSINESS_OBJECTS.map((object) => [object, everything])),
        user: { create: false, read: true, update: false, delete: false },
      },
      object_field_permissions: {},
      scopes: [],
    },
    { by: userReference(creator), at },
  );
};

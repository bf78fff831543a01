import type { Document } from "mongodb";
import * as z from "zod";
import { loadedPermission } from "#contracts/identity-bodies";
import { base, type OrganizationListEntry, type Tenant } from "#shared/tenant/tenant";
import { isPersons } from "../oauth/clients.ts";
import { sessionEnded } from "../sign-in/refusals.ts";

type PermissionAnswer = z.output<typeof loadedPermission>;

interface StoredOrganization extends Document {
  _id: string;
  name: string;
  slug: string;
  status: string;
  created_date: Date;
  billing?: { plan?: string; status?: string };
}

interface StoredUser extends Document {
  _id: string;
  name: string;
  email: string;
  is_account_admin?: boolean;
}

interface Named extends Document {
  _id: string;
  name: string;
}

/** Permission records are written by admins. Parts that are not valid are left out. */
const permissionAnswer = z.object({
  object_permissions: loadedPermission.shape.object_permissions.catch({}),
  object_field_permissions: loadedPermission.shape.object_field_permissions.catch({}),
  scopes: loadedPermission.shape.scopes.catch([]),
});

const permissionOf = (record: Named): PermissionAnswer => ({
  id: record._id,
  name: record.name,
  ...permissionAnswer.parse(record),
});

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

const organizationOf = (record: StoredOrganization) => ({
  id: record._id,
  name: record.name,
  slug: record.slug,
  description: text(record.description),
  country: text(record.country),
  is_sandbox: record.is_sandbox === true,
  parent_organization_id: text(record.parent_organization_id),
  sandbox_name: text(record.sandbox_name),
  status: record.status,
  settings: z.record(z.string(), z.unknown()).catch({}).parse(record.settings),
  billing: { plan: record.billing?.plan ?? "free", status: record.billing?.status ?? "active" },
  created_date: record.created_date.toISOString(),
});

const roleOf = async (tenant: Tenant): Promise<{ id: string; name: string } | null> => {
  const { role } = tenant.caller;
  if (role === null) return null;
  const record = await tenant.collection<Named>("role").findOne({ _id: role }, { projection: { name: 1 } });
  return record === null ? null : { id: record._id, name: record.name };
};

const permissionsOf = async (tenant: Tenant): Promise<PermissionAnswer[]> => {
  const ids = [...tenant.caller.permissions];
  if (ids.length === 0) return [];
  const records = await tenant
    .collection<Named>("permission")
    .find({ _id: { $in: ids } })
    .sort({ name: 1 })
    .toArray();
  return records.map(permissionOf);
};

const listOf = (entries: readonly OrganizationListEntry[]): OrganizationListEntry[] =>
  entries.map(({ id, name, description }) => ({ id, name, ...(description === undefined ? {} : { description }) }));

/**
 * The caller, the active organization, their other organizations, and their permissions here. All reads run
 * concurrently. An app acts in one organization, whose administrators have its secret, so no other organization is
 * answered to it.
 */
export const loadAuth = async (tenant: Tenant) => {
  const { caller, organization_id } = tenant;
  const { users } = await base();
  const [identity, user, organization, role, permissions] = await Promise.all([
    users.findOne({ _id: caller.id }, { projection: { organizations: 1, email_confirmed: 1 } }),
    tenant.collection<StoredUser>("user").findOne({ _id: caller.id }),
    tenant.collection<StoredOrganization>("organization").findOne({ _id: organization_id }),
    roleOf(tenant),
    permissionsOf(tenant),
  ]);
  if (identity === null || user === null) throw sessionEnded();
  if (organization === null) throw new Error("The organization's record is missing from its database.");
  return {
    user: {
      id: caller.id,
      email: caller.email,
      email_confirmed: identity.email_confirmed === true,
      name: caller.name,
      first_name: text(user.first_name),
      last_name: text(user.last_name),
      is_active: true,
      is_account_owner: caller.is_account_owner,
      is_account_admin: user.is_account_admin === true,
      is_superuser: caller.is_superuser,
      organization_id,
      organization_name: organization.name,
      role,
      permissions: [...caller.permissions],
    },
    organization: organizationOf(organization),
    organizations: listOf(
      identity.organizations.filter(({ id }) => id === organization_id || isPersons(caller.client_id)),
    ),
    permissions,
  };
};

import type { Document } from "mongodb";
import { isTimeZone } from "#shared/foundation/time-zone";
import { type Tenant, versionedCache } from "#shared/tenant/tenant";

const organizations = versionedCache<{ readonly name: string }>({ mostBytes: 1024 * 1024 });

const ofOrganization = async (tenant: Tenant): Promise<{ readonly name: string }> => {
  const record = await tenant
    .collection<Document & { _id: string }>("organization")
    .findOne({ _id: tenant.organization_id }, { projection: { "settings.time_zone": 1 } });
  const name: unknown = record?.settings?.time_zone;
  return { name: isTimeZone(name) ? name : "UTC" };
};

/** Where the caller's days begin: their own time zone, else the organization's, else UTC. */
export const timeZoneOf = async (tenant: Tenant): Promise<string> => {
  const { organization_id, caller, state } = tenant;
  if (isTimeZone(caller.time_zone)) return caller.time_zone;
  const version = state.collection_versions?.organization ?? 0;
  return (await organizations.read(organization_id, version, () => ofOrganization(tenant))).name;
};

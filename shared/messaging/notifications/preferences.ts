import { type Preferences, preferences } from "#contracts/notification-bodies";
import { isTimeZone } from "#shared/foundation/time-zone";
import type { Tenant, TenantDatabase } from "#shared/tenant/tenant";

type Database = Pick<TenantDatabase, "collection" | "organization_id">;

/** Of users without one of their own. */
export const organizationTimeZone = async ({ collection, organization_id }: Database): Promise<string> => {
  const record = await collection<{ _id: string; settings?: { time_zone?: unknown } }>("organization").findOne(
    { _id: organization_id },
    { projection: { "settings.time_zone": 1 } },
  );
  const name = record?.settings?.time_zone;
  return isTimeZone(name) ? name : "UTC";
};

const defaults: Preferences = preferences.parse({});

/** Stored preferences. Values that the platform has not checked count as none. */
export const preferencesOf = (stored: unknown): Preferences => {
  if (stored === undefined || stored === null) return defaults;
  const parsed = preferences.safeParse(stored);
  return parsed.success ? parsed.data : defaults;
};

type Shown = Preferences & { readonly time_zone: string };

interface StoredUser {
  _id: string;
  notification_preferences?: unknown;
}

const withTimeZone = async (tenant: Tenant, own: Preferences): Promise<Shown> => {
  const { time_zone } = tenant.caller;
  return { ...own, time_zone: isTimeZone(time_zone) ? time_zone : await organizationTimeZone(tenant) };
};

/** The caller's preferences. */
export const readPreferences = async (tenant: Tenant): Promise<Shown> => {
  const user = await tenant
    .collection<StoredUser>("user")
    .findOne({ _id: tenant.caller.id }, { projection: { notification_preferences: 1 } });
  return withTimeZone(tenant, preferencesOf(user?.notification_preferences));
};

/** Replaces the caller's preferences. */
export const setPreferences = async (tenant: Tenant, own: Preferences): Promise<Shown> => {
  await tenant
    .collection<StoredUser>("user")
    .updateOne({ _id: tenant.caller.id }, { $set: { notification_preferences: own } });
  return withTimeZone(tenant, own);
};

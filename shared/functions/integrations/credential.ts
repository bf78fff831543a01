import type { Document } from "mongodb";
import { openValue } from "#shared/data/records/records";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";

const OBJECT = "auth_credential";

interface StoredCredential extends Document {
  readonly _id: string;
  readonly type?: string;
  readonly value?: unknown;
  readonly base_url?: string;
  readonly header?: string;
  readonly admins_only?: boolean;
  readonly expires_at?: unknown;
  readonly modified_date: Date;
}

/** What a provider is called with. Its value never leaves this room. */
export interface Credential {
  /** Changes with each change of the record. */
  readonly revision: string;
  readonly type: string;
  readonly value: unknown;
  readonly origin: string;
  readonly header: string | undefined;
}

const refused = (message: string): Fault => new Fault("integration_refused", { message });

/**
 * The active credential of a provider, decrypted. Every user of the organization may use it, unless the record says
 * `admins_only`: whoever writes functions decides what they do with it.
 * @throws Fault integration_not_found, integration_refused, forbidden, dependency_unavailable
 */
export const credentialOf = async (tenant: Tenant, provider: string): Promise<Credential> => {
  const [found, another] = await tenant
    .collection<StoredCredential>(OBJECT)
    .find({ provider, active: { $ne: false } }, { limit: 2 })
    .toArray();
  const named = JSON.stringify(provider.slice(0, 100));
  if (found === undefined) throw new Fault("integration_not_found");
  if (another !== undefined) throw refused(`Several credentials of the provider ${named} are active.`);
  if (found.admins_only === true && !tenant.caller.is_admin) throw new Fault("forbidden");
  const expiry = found.expires_at instanceof Date ? found.expires_at.getTime() : Date.parse(String(found.expires_at));
  if (expiry <= nowMillis()) throw refused(`The credential of the provider ${named} has expired.`);
  if (!found.base_url) throw refused(`The credential of the provider ${named} has no base_url.`);
  const location = { organization: tenant.organization_id, object: OBJECT, record: found._id, field: "value" };
  return {
    revision: `${found._id}/${found.modified_date.getTime()}`,
    type: found.type ?? "bearer",
    value: await openValue(found.value, location),
    origin: found.base_url,
    header: found.header,
  };
};

import type { MessageObject } from "#contracts/message-delivery";
import { openValue } from "#shared/data/records/records";
import { isObject } from "#shared/foundation/is-object";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { ownCredential, type PlatformLimits, platformLimits } from "./choose.ts";
import { platformAccount } from "./platform-account.ts";
import type { Account, Vendor } from "./vendor.ts";

/** A vendor with the account that an organization uses. */
export interface Configured {
  readonly vendor: Vendor<unknown>;
  readonly source: "own" | "platform";
  /** Of the account, for its circuit. Another one after each change of the credential. */
  readonly key: string;
  /** Where the organization receives mail. */
  readonly inbound_domain?: string;
  /** Of the platform's account. */
  readonly limits?: PlatformLimits;
}

type Adapter = (account: Account) => Vendor<never>;

/** Loaded when they are needed, because a message needs one. Raise an error that tells nothing of the value. */
const adapters: Readonly<Record<string, () => Promise<Adapter>>> = {
  sendgrid: async () => (await import("./email/sendgrid.ts")).sendgrid,
  smtp: async () => (await import("./email/smtp.ts")).smtp,
  ses: async () => (await import("./email/ses.ts")).ses,
  twilio: async () => (await import("./sms/twilio.ts")).twilio,
  fcm: async () => (await import("./push/fcm.ts")).fcm,
  webpush: async () => (await import("./push/web-push.ts")).webPush,
};

const vendorOf = async (provider: string, account: Account): Promise<Vendor<unknown> | null> => {
  const load = Object.hasOwn(adapters, provider) ? adapters[provider] : undefined;
  // An adapter gets the messages of its own object: `providersOf` sees to it.
  return load === undefined ? null : ((await load())(account) as Vendor<unknown>);
};

/**
 * The vendor of an organization's messages: by its own account, else by the platform's, else none. `platform`: of the
 * device, for push messages. Raises `dependency_unavailable`, and an error if the value of the credential has not the
 * vendor's form.
 */
export const vendorFor = async (
  database: TenantDatabase,
  object: MessageObject,
  platform?: unknown,
): Promise<Configured | null> => {
  const own = await ownCredential(database, object, platform);
  if (own !== undefined) {
    const location = { organization: database.organization_id, object: "auth_credential", record: own._id };
    const value = await openValue(own.value, { ...location, field: "value" });
    const vendor = await vendorOf(own.provider, { value, base_url: own.base_url });
    const key = `${object}/${own._id}/${own.modified_date.getTime()}`;
    if (vendor === null) return null;
    const domain = isObject(value) ? value.inbound_domain : undefined;
    return { vendor, source: "own", key, ...(typeof domain === "string" && { inbound_domain: domain }) };
  }
  const limits = await platformLimits(database, object);
  const account = limits === undefined ? undefined : await platformAccount(object, platform);
  if (limits === undefined || account === undefined) return null;
  const vendor = await vendorOf(account.provider, account);
  return vendor === null ? null : { vendor, source: "platform", key: `${object}/platform/${account.provider}`, limits };
};

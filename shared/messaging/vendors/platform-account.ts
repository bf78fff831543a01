import type { MessageObject } from "#contracts/message-delivery";
import { platformVendors } from "#shared/foundation/secrets/vendors";
import type { Account } from "./vendor.ts";

export interface PlatformAccount extends Account {
  readonly provider: string;
}

/**
 * The platform's own account for the messages of an object; undefined if it has none. `platform`: of the device, for
 * push messages.
 */
export const platformAccount = async (
  object: MessageObject,
  platform: unknown,
): Promise<PlatformAccount | undefined> => {
  const { email, sms, push = {} } = await platformVendors();
  if (object === "push_message") {
    const provider = platform === "web" ? "webpush" : "fcm";
    const value = push[provider];
    return value === undefined ? undefined : { provider, value };
  }
  const account = object === "email_message" ? email : sms;
  if (account === undefined) return undefined;
  const { provider, base_url, ...value } = account;
  return { provider, value, base_url };
};

import type { Document } from "mongodb";
import * as z from "zod";
import type { MessageObject } from "#contracts/message-delivery";
import { nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import type { TenantDatabase } from "#shared/tenant/tenant";

/** What the object's messages are called in settings and in the platform's secret. */
export const kindOf = { email_message: "email", sms_message: "sms", push_message: "push" } as const;

const limits = z.object({ daily: z.int(), plans: z.array(z.string()).optional() });

/** What the platform's accounts send, as the setting `platformMessages` has it. */
const platformMessages = z.object({
  email: limits.optional(),
  sms: limits.extend({ countries: z.array(z.string()) }).optional(),
  push: limits.optional(),
});

export type PlatformLimits = z.output<typeof limits> & { readonly countries?: readonly string[] };

/**
 * The vendors of an object's messages. `platform`: of the device, for push messages, or `fcm` for a browser that has a
 * token of FCM.
 */
const providersOf = (object: MessageObject, platform?: unknown): readonly string[] => {
  if (object === "email_message") return ["sendgrid", "smtp"];
  if (object === "sms_message") return ["twilio"];
  return platform === "web" ? ["webpush"] : ["fcm"];
};

/** A credential of a vendor, as it is stored. */
export interface VendorCredential extends Document {
  readonly _id: string;
  readonly provider: string;
  readonly base_url?: string;
  readonly value?: unknown;
  readonly modified_date: Date;
}

const isOver = (expires: unknown): boolean =>
  (expires instanceof Date ? expires.getTime() : Date.parse(String(expires))) <= nowMillis();

type Database = Pick<TenantDatabase, "organization_id" | "collection">;

/** The active credential of the organization's own account; the one that was changed last if there are several. */
export const ownCredential = async (
  { collection }: Database,
  object: MessageObject,
  platform?: unknown,
): Promise<VendorCredential | undefined> => {
  const found = await collection<VendorCredential & { expires_at?: unknown }>("auth_credential")
    .find({
      kind: `${kindOf[object]}vendor`,
      provider: { $in: [...providersOf(object, platform)] },
      active: { $ne: false },
    })
    .sort({ modified_date: -1 })
    .toArray();
  return found.find(({ expires_at }) => !isOver(expires_at));
};

/** What the platform's account sends for the organization; undefined if nothing. */
export const platformLimits = async (
  { collection, organization_id }: Database,
  object: MessageObject,
): Promise<PlatformLimits | undefined> => {
  const found = platformMessages.parse(JSON.parse(env.platformMessages()))[kindOf[object]];
  if (found?.plans === undefined) return found;
  const projection = { "billing.plan": 1 };
  const organization = await collection<Document & { _id: string }>("organization").findOne(
    { _id: organization_id },
    { projection },
  );
  return found.plans.includes(String(organization?.billing?.plan ?? "free")) ? found : undefined;
};

import type { MessageObject } from "#contracts/message-delivery";
import { now, nowMillis } from "#shared/foundation/clock";
import { type TenantDatabase, VENDOR_USAGE_COLLECTION, type VendorUsage } from "#shared/tenant/tenant";
import type { Configured } from "../vendors/configured.ts";

const KEPT_MS = 7 * 24 * 60 * 60_000;

/**
 * Counts a message that the platform's account sends. Gives why it is not sent, if the organization has sent as many as
 * it may on one day (UTC).
 */
export const countDaily = async (
  { collection }: TenantDatabase,
  object: MessageObject,
  { limits }: Configured,
): Promise<string | undefined> => {
  if (limits === undefined) return undefined;
  const day = now().toISOString().slice(0, 10);
  const usage = collection<VendorUsage>(VENDOR_USAGE_COLLECTION);
  const after = await usage.findOneAndUpdate(
    { _id: `${object}/${day}` },
    { $inc: { messages: 1 }, $setOnInsert: { expires_at: new Date(nowMillis() + KEPT_MS) } },
    { upsert: true, returnDocument: "after" },
  );
  if (after === null || after.messages <= limits.daily) return undefined;
  return `The platform's account sends ${limits.daily} messages of an organization a day, and no more.`;
};

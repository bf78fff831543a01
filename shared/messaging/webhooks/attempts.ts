import { createHash } from "node:crypto";
import { nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { networkOf } from "#shared/foundation/network";
import { base } from "#shared/tenant/tenant";

const MINUTE_MS = 60_000;
/** Of one address for one organization in a minute. A vendor sends a thousand events in one body. */
const PER_ORGANIZATION = 1_200;
/** Of one address for all organizations, also those that do not exist. */
const PER_ADDRESS = 6_000;

/** A hash, so that addresses are not stored. */
const counterId = (...parts: readonly (string | number)[]): string =>
  createHash("sha256")
    .update(JSON.stringify(["webhook", ...parts]))
    .digest("base64url");

const count = async (id: string, until: number): Promise<number> => {
  const { publicRuns } = await base();
  const increment = () =>
    publicRuns.findOneAndUpdate(
      { _id: id },
      { $inc: { count: 1 }, $setOnInsert: { expires_at: new Date(until + MINUTE_MS) } },
      { upsert: true, returnDocument: "after" },
    );
  // Of several first ones at the same time all but one fail.
  const counted = await increment().catch((error: unknown) => {
    if (isDuplicateKey(error)) return increment();
    throw error;
  });
  return counted?.count ?? 1;
};

/** Counts a webhook, before anything is looked up. Raises `too_many_webhooks`. */
export const countWebhook = async (organizationId: string, address: string): Promise<void> => {
  const network = networkOf(address);
  const minute = Math.floor(nowMillis() / MINUTE_MS);
  const until = (minute + 1) * MINUTE_MS;
  const [ofAddress, ofOrganization] = await Promise.all([
    count(counterId(network, minute), until),
    count(counterId(network, minute, organizationId), until),
  ]);
  if (ofAddress <= PER_ADDRESS && ofOrganization <= PER_ORGANIZATION) return;
  // SendGrid drops a mail after any 4xx, and sends it again for three days after a 5xx:
  // https://support.sendgrid.com/hc/en-us/articles/46513815674395-Understanding-Inbound-Parse-Webhook-Retry-Logic
  throw new Fault("too_many_webhooks", {
    headers: { "retry-after": String(Math.max(1, Math.ceil((until - nowMillis()) / 1000))) },
  });
};

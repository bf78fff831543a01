import { getFile } from "#shared/foundation/aws/s3";
import { nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { base } from "#shared/tenant/tenant";
import { syncPayment } from "../consequences/sync-payment.ts";
import type { Later } from "../vendors/unavailable.ts";
import { customerOf, parseEvent } from "./event.ts";

/** As the route accepts. */
const LARGEST = 1024 * 1024;

interface HookMessage {
  readonly payload: { readonly key: string } | { readonly organization_id: string };
  readonly remaining: () => number;
}

/** The vendor reports so that it could not use what was reported to it. */
const isAboutMeters = (type: string): boolean => type.startsWith("v1.billing.meter.");

/** The organization that an event is about, or null if there is none. */
const organizationOf = async (key: string): Promise<string | null> => {
  const body = await getFile(key, { max: LARGEST });
  if (body === undefined) throw new Error(`The event ${key} is not stored any more.`);
  const event = parseEvent(body);
  const { id, type } = event;
  if (isAboutMeters(type)) {
    log.error({ event: id, type, alarm: "usage-refused" }, "the payment vendor could not use reported usage");
    return null;
  }
  const customer = customerOf(event);
  const { billingAccounts } = await base();
  const account = customer === null ? null : await billingAccounts.findOne({ payment_customer_id: customer });
  if (account === null) log.warn({ event: id, type, customer }, "an event is about no organization");
  return account?._id ?? null;
};

/**
 * Handles an event of the payment vendor, or reads the payment of an organization without one. `later`: the vendor does
 * not answer, or another event of the organization is being handled.
 */
export const handleHook = async ({ payload, remaining }: HookMessage): Promise<Later | undefined> => {
  const organization = "key" in payload ? await organizationOf(payload.key) : payload.organization_id;
  return organization === null ? undefined : syncPayment(organization, nowMillis() + remaining());
};

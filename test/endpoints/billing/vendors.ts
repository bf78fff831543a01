import { createHash, randomBytes } from "node:crypto";
import { Stripe } from "stripe";
import { expect, inject } from "vitest";
import { databaseClient, http, invokeOperation, type User } from "../../platform.ts";
import { vendorControl } from "../../vendors/controlled-vendor.ts";
import { stripeAccount } from "../../vendors/platform-vendors.ts";
import type { StripeSubscription } from "../../vendors/stripe.ts";

const { stripe: stripeUrl, twilio: twilioUrl } = inject("vendors");

/** Says and asks things of the vendors' servers. */
export const stripe = vendorControl(stripeUrl);
export const twilio = vendorControl(twilioUrl);

/** A generous limit for a busy machine. */
export const patiently = { timeout: 240_000, interval: 100 };

const unique = (): string => randomBytes(8).toString("hex");
export const newCustomer = (): string => `cus_${unique()}`;
export const newAccount = (): string => `AC${unique()}${unique()}`;

export interface Linked {
  readonly customer: string;
  readonly account: string;
}

/** Gives an organization new accounts at both vendors. */
export const link = async ({ organizationId }: Pick<User, "organizationId">): Promise<Linked> => {
  const [customer, account] = [newCustomer(), newAccount()];
  await stripe("customer", customer);
  await invokeOperation("link-billing", {
    organization_id: organizationId,
    paymentvendor_customer_id: customer,
    smsvendor_account_id: account,
  });
  return { customer, account };
};

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

export const PERIOD_END = "2027-01-31T00:00:00.000Z";

/** A subscription as Stripe has it now. */
export const subscribe = (customer: string, fields: Partial<StripeSubscription> = {}): Promise<unknown> =>
  stripe("subscription", {
    id: `sub_${customer}`,
    customer,
    status: "active",
    created: seconds(new Date("2026-01-01")),
    plan: "business",
    current_period_end: seconds(new Date(PERIOD_END)),
    ...fields,
  });

export const daysAgo = (days: number): number => seconds(new Date(Date.now() - days * 86_400_000));

/** An event of Stripe about a subscription of a customer. What it says about the state is old. */
export const eventAbout = (customer: string, type = "customer.subscription.updated", id = `evt_${unique()}`) => ({
  id,
  object: "event",
  type,
  created: seconds(new Date()),
  data: { object: { id: `sub_${customer}`, object: "subscription", customer, status: "incomplete" } },
});

export interface Signing {
  readonly secret?: string;
  /** Seconds since the epoch. */
  readonly timestamp?: number;
}

/** The header by Stripe's own helper. */
export const signatureOf = (
  payload: string,
  { secret = stripeAccount.webhook_secret, timestamp }: Signing = {},
): string =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret, ...(timestamp !== undefined && { timestamp }) });

/** Sends a body as Stripe does. */
export const sendHook = (raw: string, signature: string | undefined = signatureOf(raw)) =>
  http.post("/v1/billing/hooks", {
    raw,
    headers: {
      "content-type": "application/json; charset=utf-8",
      ...(signature !== "" && { "stripe-signature": signature }),
    },
  });

/** Where the platform keeps the event. */
export const keyOf = (event: { readonly id: string }): string =>
  `billing/${createHash("sha256").update(event.id).digest("hex")}`;

const sentKeys = new Set<string>();

/** Sends an event, which is accepted. */
export const sendEvent = async (event: { readonly id: string }): Promise<void> => {
  expect((await sendHook(JSON.stringify(event))).status).toBe(200);
  sentKeys.add(keyOf(event));
};

/** Waits until the events that tests have sent, and the links of an organization, are handled with all that follows. */
export const hooksAreHandled = async ({ organizationId }: Pick<User, "organizationId">): Promise<void> => {
  const client = await databaseClient();
  const outbox = client.db("base").collection("_outbox");
  const open = async (): Promise<number> => {
    const waiting = await outbox.find({ queue: "billing-hook", status: { $ne: "failed" } }).toArray();
    const named = waiting.map(({ payload }) => JSON.parse(payload));
    return named.filter(({ key, organization_id: id }) => id === organizationId || sentKeys.has(key)).length;
  };
  try {
    await expect.poll(open, patiently).toBe(0);
  } finally {
    await client.close();
  }
};

export const billingOf = async ({ token }: Pick<User, "token">) =>
  (await http.get("/v1/billing", { token, expect: 200 })).body;

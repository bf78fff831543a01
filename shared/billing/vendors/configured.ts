import { platformVendors } from "#shared/foundation/secrets/vendors";
import type { PaymentVendor } from "./payment-vendor.ts";
import { stripeVendor } from "./stripe.ts";
import { type TwilioAccount, twilioAccount } from "./twilio-usage.ts";

let known: { readonly key: string; readonly vendor: PaymentVendor } | undefined;

/** The payment vendor of the platform, or null if none is configured. */
export const paymentVendor = async (): Promise<PaymentVendor | null> => {
  const { payment } = await platformVendors();
  if (payment === undefined) return null;
  const key = JSON.stringify([payment.api_key, payment.base_url]);
  if (known?.key !== key) known = { key, vendor: stripeVendor(payment) };
  return known.vendor;
};

/** What the payment vendor signs its events with, or null. */
export const paymentSecret = async (): Promise<string | null> =>
  (await platformVendors()).payment?.webhook_secret ?? null;

/** The account of the SMS vendor, or null if none is configured. Raises an Error if it is not right. */
export const usageAccount = async (): Promise<TwilioAccount | null> => {
  const { usage } = await platformVendors();
  if (usage === undefined) return null;
  const parsed = twilioAccount.safeParse(usage);
  if (parsed.success) return parsed.data;
  // Never the values.
  throw new Error(
    `The usage account in the vendors' secret is not right: ${parsed.error.issues.map(({ path }) => path.join("."))}`,
  );
};

import { startStripe } from "./stripe.ts";
import { startTwilioUsage } from "./twilio-usage.ts";

/** The accounts of the test platform. */
export const stripeAccount = { api_key: "sk_test_tenantry", webhook_secret: "whsec_tenantry" } as const;
const twilioAccount = { account_sid: `AC${"0".repeat(32)}`, auth_token: "twilio-token" } as const;

/** Where tests find the vendors of payment and of usage. */
export interface VendorUrls {
  readonly stripe: string;
  readonly twilio: string;
}

/** The vendors of payment and of usage, and the secret with which the platform reaches them. */
export const startPlatformVendors = async () => {
  const [stripe, twilio] = await Promise.all([startStripe(stripeAccount.api_key), startTwilioUsage(twilioAccount)]);
  const meters = { "sms-inbound": "sms_inbound", "sms-outbound": "sms_outbound", "fax-outbound": "no_such_meter" };
  return {
    urls: { stripe: stripe.url, twilio: twilio.url } satisfies VendorUrls,
    vendors: {
      payment: { vendor: "stripe", ...stripeAccount, base_url: stripe.url },
      usage: { ...twilioAccount, base_url: twilio.url, meters },
    },
    stop: async () => {
      await Promise.all([stripe.stop(), twilio.stop()]);
    },
  };
};

import type { Stripe } from "stripe";
import type { MeterAnswer, MeterEvent, PaymentVendor } from "./payment-vendor.ts";
import { paymentStateOf } from "./subscription-state.ts";
import { vendorUnavailable } from "./unavailable.ts";

export interface StripeAccount {
  readonly api_key: string;
  /** Where its API is, if not at the usual address. */
  readonly base_url?: string | undefined;
}

/** Of one request, in milliseconds. */
const PATIENCE_MS = 8_000;
/** Of one customer. */
const MOST_SUBSCRIPTIONS = 200;

const addressOf = (base_url: string | undefined): Pick<Stripe.StripeConfig, "host" | "port" | "protocol"> => {
  if (base_url === undefined) return {};
  const { hostname, port, protocol } = new URL(base_url);
  const scheme = protocol === "http:" ? "http" : "https";
  return { host: hostname, port: port === "" ? (scheme === "http" ? 80 : 443) : Number(port), protocol: scheme };
};

/** Loaded when it is needed: the library is large. */
const open = async ({ api_key, base_url }: StripeAccount): Promise<Stripe> => {
  const { default: Client } = await import("stripe");
  return new Client(api_key, {
    ...addressOf(base_url),
    timeout: PATIENCE_MS,
    // The library would wait here as long as the vendor asks for. The message of the queue waits instead.
    maxNetworkRetries: 0,
    telemetry: false,
  });
};

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Raises unless the vendor has refused this very request, so that it would refuse it again. */
const refusalOf = (error: unknown): Refusal => {
  const { type, statusCode, code, message, headers } = error as Partial<Stripe.errors.StripeError> & Error;
  const asksForPatience = statusCode === 429 || statusCode === 409 || statusCode === undefined || statusCode >= 500;
  if (typeof type === "string" && type.startsWith("Stripe") && asksForPatience) {
    throw vendorUnavailable("The payment vendor does not answer.", error, headers);
  }
  // A wrong or withdrawn key is for the operators of the platform to mend.
  if (type !== "StripeInvalidRequestError" || statusCode === undefined) throw error;
  return { status: statusCode, code: code ?? "", message: message.slice(0, 300) };
};

/** The vendor refuses an identifier that it has, with no code of its own. Then it has the event. */
const isKnown = ({ status, message }: Refusal): boolean => status === 400 && /already exists/i.test(message);

const isTooOld = ({ code, message }: Refusal): boolean =>
  code === "timestamp_too_far_in_past" || /35 (?:calendar )?days|too far in the past/i.test(message);

const subscriptionsOf = async (client: Stripe, customer: string): Promise<Stripe.Subscription[]> => {
  const all: Stripe.Subscription[] = [];
  const query = { customer, status: "all", limit: 100, expand: ["data.latest_invoice"] } as const;
  try {
    for await (const one of client.subscriptions.list({ ...query, expand: [...query.expand] })) {
      all.push(one);
      if (all.length === MOST_SUBSCRIPTIONS) break;
    }
  } catch (error) {
    if (refusalOf(error).code !== "resource_missing") throw error;
  }
  return all;
};

const report = async (client: Stripe, event: MeterEvent): Promise<MeterAnswer> => {
  try {
    await client.billing.meterEvents.create({
      event_name: event.event_name,
      identifier: event.identifier,
      timestamp: Math.floor(event.at.getTime() / 1000),
      payload: { stripe_customer_id: event.customer_id, value: String(event.value) },
    });
    return { outcome: "taken" };
  } catch (error) {
    const refusal = refusalOf(error);
    if (isKnown(refusal)) return { outcome: "taken" };
    return { outcome: isTooOld(refusal) ? "too_old" : "refused", reason: refusal.message };
  }
};

export const stripeVendor = (account: StripeAccount): PaymentVendor => {
  let client: Promise<Stripe> | undefined;
  const opened = (): Promise<Stripe> => {
    client ??= open(account);
    return client;
  };
  return {
    paymentState: async (customerId) => paymentStateOf(await subscriptionsOf(await opened(), customerId)),
    reportUsage: async (event) => report(await opened(), event),
  };
};

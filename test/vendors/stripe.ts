import { startVendor, type VendorReply, type VendorRequest, type VendorServer } from "./controlled-vendor.ts";

/** As https://docs.stripe.com/api/subscriptions/object, as far as tests set it. */
export interface StripeSubscription {
  readonly id: string;
  readonly customer: string;
  readonly status: string;
  readonly created: number;
  readonly plan: string;
  readonly current_period_end: number;
  readonly finalized_at?: number;
  readonly due_date?: number;
  readonly reason?: string;
}

export interface StoredMeterEvent {
  readonly event_name: string;
  readonly identifier: string;
  readonly timestamp: number;
  readonly customer: string;
  readonly value: number;
}

const DAY = 86_400;

const failure = (status: number, error: Record<string, unknown>): VendorReply => ({
  status,
  json: { error: { type: "invalid_request_error", ...error } },
});

/** The name of the one meter that was archived. */
const NO_METER = "no_such_meter";

const subscriptionOf = ({ id, customer, status, created, plan, ...rest }: StripeSubscription) => ({
  id,
  object: "subscription",
  customer,
  status,
  created,
  start_date: created,
  cancellation_details: { comment: null, feedback: null, reason: rest.reason ?? null },
  items: {
    object: "list",
    data: [
      {
        id: `si_metered_${id}`,
        object: "subscription_item",
        current_period_end: rest.current_period_end,
        price: {
          id: "price_usage",
          object: "price",
          lookup_key: "usage",
          metadata: {},
          recurring: { usage_type: "metered" },
        },
      },
      {
        id: `si_${id}`,
        object: "subscription_item",
        current_period_end: rest.current_period_end,
        price: {
          id: `price_${plan}`,
          object: "price",
          lookup_key: `${plan}_monthly`,
          metadata: { plan },
          recurring: { usage_type: "licensed" },
        },
      },
    ],
  },
  latest_invoice: {
    id: `in_${id}`,
    object: "invoice",
    created: rest.finalized_at ?? created,
    due_date: rest.due_date ?? null,
    status_transitions: { finalized_at: rest.finalized_at ?? created },
  },
});

/**
 * Stripe, as far as the platform uses it: subscriptions of a customer in pages, and meter events with a unique
 * identifier, the last 35 days, and the last event of a day counting (https://docs.stripe.com/api/billing/meter-event).
 */
export const startStripe = async (apiKey: string): Promise<VendorServer> => {
  const subscriptions = new Map<string, StripeSubscription>();
  const customers = new Set<string>();
  const events: StoredMeterEvent[] = [];
  let reads = 0;

  const list = ({ query }: VendorRequest): VendorReply => {
    const customer = query.get("customer") ?? "";
    reads += 1;
    if (!customers.has(customer)) {
      return failure(400, { code: "resource_missing", param: "customer", message: `No such customer: '${customer}'` });
    }
    const all = [...subscriptions.values()].filter((one) => one.customer === customer).map(subscriptionOf);
    const from = all.findIndex(({ id }) => id === query.get("starting_after")) + 1;
    // Smaller pages than asked for, so that there are several.
    const data = all.slice(from, from + 2);
    return { status: 200, json: { object: "list", url: "/v1/subscriptions", data, has_more: from + 2 < all.length } };
  };

  const meterEvent = ({ body }: VendorRequest): VendorReply => {
    const form = new URLSearchParams(body);
    const event = {
      event_name: form.get("event_name") ?? "",
      identifier: form.get("identifier") ?? "",
      timestamp: Number(form.get("timestamp")),
      customer: form.get("payload[stripe_customer_id]") ?? "",
      value: Number(form.get("payload[value]")),
    };
    const now = Date.now() / 1000;
    if (event.event_name === NO_METER)
      return failure(400, { message: `No active meter found for event name ${NO_METER}.` });
    if (event.identifier.length > 100) return failure(400, { message: "Invalid identifier: at most 100 characters." });
    if (event.timestamp < now - 35 * DAY) {
      return failure(400, { message: "The timestamp must be within the past 35 calendar days." });
    }
    if (event.timestamp > now + 300) return failure(400, { message: "The timestamp is too far in the future." });
    if (events.some(({ identifier }) => identifier === event.identifier)) {
      return failure(400, { message: `An event already exists with identifier ${event.identifier}.` });
    }
    events.push(event);
    const { customer: stripe_customer_id, value, ...rest } = event;
    return {
      status: 200,
      json: {
        object: "billing.meter_event",
        livemode: false,
        payload: { stripe_customer_id, value: String(value) },
        ...rest,
      },
    };
  };

  const answer = (request: VendorRequest): VendorReply => {
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      return { status: 401, json: { error: { type: "invalid_request_error", message: "Invalid API Key provided." } } };
    }
    if (request.headers["x-stripe-client-telemetry"] !== undefined) return failure(400, { message: "Telemetry." });
    const route = `${request.method} ${request.path}`;
    if (route === "GET /v1/subscriptions") return list(request);
    if (route === "POST /v1/billing/meter_events") return meterEvent(request);
    return failure(404, { message: `Unrecognized request URL (${route}).` });
  };

  return startVendor({
    answer,
    controls: {
      customer: (id: string) => void customers.add(id),
      subscription: (one: StripeSubscription) => {
        customers.add(one.customer);
        subscriptions.set(one.id, one);
      },
      forget: (id: string) => void subscriptions.delete(id),
      events: (customer: string) => events.filter((event) => event.customer === customer),
      /** `<event name>/<day>` → the value that counts: that of the last event of the day. */
      totals: (customer: string) => {
        const totals: Record<string, number> = {};
        for (const { event_name, timestamp, value, customer: of } of events) {
          const day = new Date(timestamp * 1000).toISOString().slice(0, 10);
          if (of === customer) totals[`${event_name}/${day}`] = value;
        }
        return totals;
      },
      reads: () => reads,
    },
  });
};

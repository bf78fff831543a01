import type { Stripe } from "stripe";
import { now } from "#shared/foundation/clock";
import type { PaymentState, PaymentStatus } from "#shared/tenant/tenant";
import { FREE } from "../payment-state.ts";

const statuses: ReadonlyMap<string, PaymentStatus> = new Map([
  ["active", "active"],
  ["trialing", "trialing"],
  ["past_due", "past_due"],
  ["unpaid", "past_due"],
  // The trial has ended without a method of payment.
  ["paused", "past_due"],
  ["incomplete", "free"],
  ["incomplete_expired", "free"],
  ["canceled", "canceled"],
]);

/** Of several subscriptions, the first of these decides. */
const order: readonly PaymentStatus[] = ["past_due", "active", "trialing", "canceled", "free"];

const dateOf = (seconds: number | null | undefined): Date | null =>
  typeof seconds === "number" ? new Date(seconds * 1000) : null;

/** A price names its plan by its metadata, else by its lookup key. Metered prices bill usage, and name none. */
const planOf = ({ items }: Stripe.Subscription): string => {
  const prices = items.data.map(({ price }) => price);
  const licensed = prices.filter(({ recurring }) => recurring?.usage_type !== "metered");
  const names = [...licensed, ...prices].map((price) => price.metadata.plan ?? price.lookup_key ?? price.id);
  return names[0] ?? "free";
};

const periodEndOf = ({ items }: Stripe.Subscription): Date | null => {
  const ends = items.data.map(({ current_period_end }) => current_period_end).filter((end) => Number.isFinite(end));
  return ends.length === 0 ? null : dateOf(Math.max(...ends));
};

/** A payment is missing since its invoice was due: when it was finalized, or on its due date. */
const missingSince = ({ latest_invoice: invoice, start_date }: Stripe.Subscription): Date => {
  if (invoice === null || typeof invoice === "string") return dateOf(start_date) ?? now();
  const seconds = Math.max(invoice.due_date ?? 0, invoice.status_transitions?.finalized_at ?? invoice.created);
  return new Date(Math.min(seconds * 1000, now().getTime()));
};

/** A subscription that the vendor has ended because its payments failed still has to be paid. */
const endedUnpaid = ({ status, cancellation_details }: Stripe.Subscription): boolean =>
  status === "canceled" && cancellation_details?.reason === "payment_failed";

/** A status that later versions of the vendor's interface may have counts as no subscription. */
const statusOf = ({ status }: Stripe.Subscription): PaymentStatus => statuses.get(status) ?? "free";

const stateOf = (subscription: Stripe.Subscription): PaymentState => {
  const status = endedUnpaid(subscription) ? "past_due" : statusOf(subscription);
  return {
    plan: status === "canceled" ? "free" : planOf(subscription),
    status,
    subscription_id: subscription.id,
    current_period_end: periodEndOf(subscription),
    past_due_since: status === "past_due" ? missingSince(subscription) : null,
  };
};

/**
 * What counts for the organization. One whose first payment never arrived has not begun, so it changes nothing. One
 * that was canceled before a later one began counts no more.
 */
export const paymentStateOf = (subscriptions: readonly Stripe.Subscription[]): PaymentState => {
  const begun = subscriptions.filter(({ status }) => !status.startsWith("incomplete"));
  const newestFirst = begun.toSorted((a, b) => b.created - a.created || a.id.localeCompare(b.id));
  const present = newestFirst.filter(({ status }, index) => index === 0 || status !== "canceled");
  const states = present.map(stateOf);
  for (const status of order) {
    const found = states.find((state) => state.status === status);
    if (found !== undefined) return found;
  }
  return FREE;
};

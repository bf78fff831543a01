import type { PaymentState } from "#shared/tenant/tenant";

/** The usage of one category on one day. */
export interface MeterEvent {
  /** The name of the event that the vendor's meter takes. */
  readonly event_name: string;
  readonly customer_id: string;
  readonly value: number;
  /** The same for the same customer, day, category, revision and value. At most 100 characters. */
  readonly identifier: string;
  readonly at: Date;
}

/** `too_old`: the vendor does not take usage of that day any more. `refused`: another attempt has the same outcome. */
export type MeterAnswer =
  | { readonly outcome: "taken" }
  | { readonly outcome: "too_old"; readonly reason: string }
  | { readonly outcome: "refused"; readonly reason: string };

/**
 * A vendor of payments. All methods raise `vendor_unavailable` if it does not answer or asks for patience, and an Error
 * if it refuses the platform's own credentials.
 */
export interface PaymentVendor {
  /** The present state of a customer. An unknown or deleted customer has no subscription. */
  paymentState(customerId: string): Promise<PaymentState>;
  /** Reports usage. A later event of the same customer, meter and day replaces an earlier one. */
  reportUsage(event: MeterEvent): Promise<MeterAnswer>;
}

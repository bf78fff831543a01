/**
 * Documents of the base database about payment and usage. Days are texts, YYYY-MM-DD in UTC; moments are BSON dates.
 */

export type PaymentStatus = "free" | "trialing" | "active" | "past_due" | "canceled";

/** Where the payment of an organization stands, as the payment vendor has it. */
export interface PaymentState {
  readonly plan: string;
  readonly status: PaymentStatus;
  readonly subscription_id: string | null;
  readonly current_period_end: Date | null;
  readonly past_due_since: Date | null;
}

/** A document on which one worker works at a time. */
export interface Leased {
  _id: string;
  /** Who works on it, and until when at the latest. */
  lease?: { readonly id: string; readonly until: Date };
  /** Goes up with each lease. A holder whose lease has run out has a lower one than what is stored. */
  fence?: number;
}

/** The accounts of a production organization at vendors. `_id` is the organization's. A sandbox never has one. */
export interface BillingAccount extends Leased {
  payment_customer_id?: string;
  smsvendor_account_id?: string;
  state?: PaymentState;
  /** From when on nothing may be written; null if the organization has paid. */
  writes_end_at?: Date | null;
  /** A change of which the owners have not been told yet. */
  unannounced?: { readonly from: PaymentState | null; readonly to: PaymentState; readonly writes_end_at: Date | null };
}

/** One usage sync. */
export interface UsageRun {
  _id: string;
  start_date: string;
  end_date: string;
  days: number;
  organizations: number;
  /** Absent: all that have an account at the SMS vendor. */
  organization_ids?: string[];
  /** The last organization whose messages were added. */
  planned_after: string;
  planned: boolean;
  created_date: Date;
  expires_at: Date;
}

/** One organization and day of a run. `_id` is `<run>/<organization>/<date>`. */
export interface UsageRunDay {
  _id: string;
  run_id: string;
  organization_id: string;
  date: string;
  status: "pending" | "done" | "failed";
  records?: number;
  reason?: string;
  expires_at: Date;
}

/** Who syncs an organization's day. `_id` is `<organization>/<date>`. */
export type UsageDay = Leased;

export type ReportStatus = "pending" | "reported" | "not_metered" | "no_customer" | "not_reportable" | "failed";

/** The usage of one category by an organization on a day. `_id` is `<organization>/<date>/<category>`. */
export interface UsageRecord {
  _id: string;
  organization_id: string;
  date: string;
  category: string;
  quantity: number;
  unit: string | null;
  price: number | null;
  currency: string | null;
  /** Goes up with each change of the quantity. */
  revision: number;
  /** Of the lease under which it was written. */
  fence: number;
  report_status: ReportStatus;
  report_reason?: string;
  /** What the payment vendor has: the identifier of the last event that it took. */
  reported_as?: string;
  synced_at: Date;
}

/** An event of the payment vendor that was received. `_id` is the event's. */
export interface BillingEvent {
  _id: string;
  type: string;
  /** The file with the event. */
  key: string;
  received_at: Date;
  expires_at: Date;
}

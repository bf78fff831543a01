import { createHash } from "node:crypto";
import { base, type ReportStatus, type UsageRecord } from "#shared/tenant/tenant";
import { type HeldLease, requireTime } from "../lease.ts";
import type { MeterEvent, PaymentVendor } from "../vendors/payment-vendor.ts";
import { isReportable, momentOf } from "./days.ts";
import { storedDay, type UsageKey } from "./store-day.ts";

/** Longer than the vendor's library takes for a request with its repetition, in milliseconds. */
const REPORT_MS = 20_000;

interface Reporting {
  readonly vendor: PaymentVendor | null;
  readonly customerId: string | undefined;
  /** Category → the name of the event of its meter. */
  readonly meters: Readonly<Record<string, string>>;
  readonly held: HeldLease;
}

/**
 * The same for a repetition, so that the vendor recognises it, and another one for every other value, so that a value
 * is never taken for one that was reported before.
 */
const identifierOf = ({ _id, revision, quantity }: UsageRecord, customerId: string, event_name: string): string =>
  createHash("sha256")
    .update(JSON.stringify([_id, revision, quantity, customerId, event_name]))
    .digest("base64url");

const eventOf = (record: UsageRecord, customer_id: string, event_name: string): MeterEvent => ({
  event_name,
  customer_id,
  value: record.quantity,
  identifier: identifierOf(record, customer_id, event_name),
  at: momentOf(record.date, record.revision),
});

interface Reported {
  readonly report_status: ReportStatus;
  readonly report_reason?: string;
  readonly reported_as?: string;
}

/** Null: there is nothing to do, because the vendor has it. */
const reportOne = async (
  record: UsageRecord,
  { vendor, customerId, meters, held }: Reporting,
): Promise<Reported | null> => {
  const name = Object.hasOwn(meters, record.category) ? meters[record.category] : undefined;
  if (name === undefined) return { report_status: "not_metered" };
  if (vendor === null || customerId === undefined) return { report_status: "no_customer" };
  const event = eventOf(record, customerId, name);
  if (record.reported_as === event.identifier) return null;
  if (!isReportable(event.at)) return { report_status: "not_reportable" };
  requireTime(held, REPORT_MS);
  const answer = await vendor.reportUsage(event);
  if (answer.outcome === "taken") return { report_status: "reported", reported_as: event.identifier };
  const status = answer.outcome === "too_old" ? "not_reportable" : "failed";
  return { report_status: status, report_reason: answer.reason };
};

/**
 * Reports a day's records to the payment vendor, as far as it does not have them. Gives why a record was refused, or
 * null. Raises `vendor_unavailable`, and `in_progress` if the time of the lease does not suffice.
 */
export const reportDay = async (key: UsageKey, reporting: Reporting): Promise<string | null> => {
  const { usageRecords } = await base();
  let refused: string | null = null;
  for (const record of await storedDay(key)) {
    const reported = await reportOne(record, reporting);
    if (reported === null) continue;
    const { revision, fence } = record;
    const { report_reason, ...set } = reported;
    const reason = report_reason === undefined ? { $unset: { report_reason: "" as const } } : {};
    const update = { $set: { ...set, ...(report_reason !== undefined && { report_reason }) }, ...reason };
    await usageRecords.updateOne({ _id: record._id, revision, fence }, update);
    if (reported.report_status === "failed") refused ??= `${record.category}: ${report_reason}`;
  }
  return refused;
};

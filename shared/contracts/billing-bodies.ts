import * as z from "zod";
import { id, timestamp } from "./common.ts";

/** A day in UTC. */
export const day = z.iso
  .date()
  .describe("A day in UTC: YYYY-MM-DD.")
  .meta({ examples: ["2026-01-31"] });

export const billingLimits = {
  /** Of one usage sync. */
  days: 92,
  organizations: 10_000,
} as const;

/** The wording of these states is part of the public API. */
const paymentStatus = z
  .enum(["free", "trialing", "active", "past_due", "canceled"])
  .describe(
    "Where payment stands. `free`: there is no subscription. `past_due`: a payment has failed; after some days nothing " +
      "can be changed until it arrives. `canceled`: the subscription has ended.",
  );

export const syncUsageRequest = z
  .strictObject({
    start_date: day.optional().describe("The first day; by default the same as the last, or yesterday."),
    end_date: day.optional().describe("The last day; by default yesterday. Later days are not complete yet."),
    organization_ids: z
      .array(id)
      .min(1)
      .max(billingLimits.organizations)
      .optional()
      .describe("Only these organizations; by default all that have an account at the SMS vendor."),
  })
  .meta({ id: "SyncSmsVendorUsageRequest" });

const runStatus = z
  .enum(["running", "completed", "completed_with_failures"])
  .describe("`completed_with_failures`: some days of some organizations could not be synced.");

const days = z.int().min(0).describe("The number of days of each organization.");
const organizations = z.int().min(0).describe("The number of organizations whose usage is synced.");

export const syncUsageResponse = z
  .object({
    run_id: id.describe("Shown by GET /v1/billing/usage-runs/{run_id}."),
    organizations,
    days,
    status: runStatus,
  })
  .meta({ id: "SyncSmsVendorUsageResponse" });

const usageDay = z.object({
  date: day,
  status: z.enum(["pending", "done", "failed"]),
  records: z.int().min(0).optional().describe("The number of usage records of the day."),
  reason: z.string().optional().describe("Why it has failed."),
});

export const usageRun = z
  .object({
    run_id: id,
    start_date: day,
    end_date: day,
    organizations,
    days,
    status: runStatus,
    pending: z.int().min(0).describe("Days of organizations that are not yet synced."),
    failed: z.int().min(0).describe("Days of organizations that could not be synced."),
    created_date: timestamp,
    results: z
      .array(z.object({ organization_id: id, days: z.array(usageDay) }))
      .describe("Organizations in the order of their ids, at most 100."),
    next_cursor: z.string().optional().describe("Continues with the next organizations."),
  })
  .meta({ id: "UsageRun" });

const reportStatus = z
  .enum(["pending", "reported", "not_metered", "no_customer", "not_reportable", "failed"])
  .describe(
    "Whether the payment vendor knows it. `not_metered`: the category is not billed. `no_customer`: the organization has " +
      "no account at the payment vendor. `not_reportable`: the payment vendor takes no usage that is older than 35 days.",
  );

export const usageRecord = z
  .object({
    date: day,
    category: z.string().describe("As the SMS vendor calls it, such as `sms-outbound`."),
    quantity: z.number().describe("How much was used, in `unit`."),
    unit: z.string().nullable(),
    price: z.number().nullable().describe("What the SMS vendor takes for it."),
    currency: z.string().nullable(),
    report_status: reportStatus,
  })
  .meta({ id: "UsageRecord" });

export const billingOverview = z
  .object({
    plan: z.string().describe("The plan's name; `free` without a subscription."),
    status: paymentStatus,
    current_period_end: timestamp.nullable().describe("When the current period of the subscription ends."),
    past_due_since: timestamp.nullable().describe("Since when a payment has been missing."),
    writes_end_at: timestamp
      .nullable()
      .describe("From this moment on everything that would change something answers 402, unless a payment arrives."),
    usage: z
      .array(z.object({ category: z.string(), quantity: z.number(), unit: z.string().nullable() }))
      .describe("The usage of the current month (UTC), added up by category."),
  })
  .meta({ id: "Billing" });

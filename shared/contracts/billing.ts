import * as z from "zod";
import {
  billingLimits,
  billingOverview,
  day,
  syncUsageRequest,
  syncUsageResponse,
  usageRecord,
  usageRun,
} from "./billing-bodies.ts";
import { id } from "./common.ts";
import { defineContract } from "./contract.ts";

export const syncSmsvendorUsage = defineContract({
  operation: "syncSmsvendorUsage",
  area: "billing",
  method: "POST",
  path: "/v1/billing/sync-smsvendor-usage",
  access: "superuser",
  summary: "Sync the usage of the SMS vendor",
  description:
    "Reads the daily usage of each organization's account at the SMS vendor, stores it, and reports it to the payment " +
    `vendor. At most ${billingLimits.days} days, by default yesterday (UTC). It answers before the work is done: each day of ` +
    "each organization is a message of its own. A repeated sync replaces what is stored and reported, and never adds " +
    "to it. The platform does the same every day by itself.",
  request: { body: syncUsageRequest.nullish() },
  replies: { 200: { description: "The sync has begun.", body: syncUsageResponse } },
  faults: [],
});

export const getUsageRun = defineContract({
  operation: "getUsageRun",
  area: "billing",
  method: "GET",
  path: "/v1/billing/usage-runs/{run_id}",
  access: "superuser",
  summary: "How a usage sync went, by organization",
  description: "Runs are kept for 30 days.",
  request: {
    path: z.object({ run_id: id }),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(100).describe("The most organizations of a page."),
      cursor: z.string().max(200).optional().describe("The `next_cursor` of the page before."),
    }),
  },
  replies: { 200: { description: "The run.", body: usageRun } },
  faults: ["usage_run_not_found"],
});

export const getBilling = defineContract({
  operation: "getBilling",
  area: "billing",
  method: "GET",
  path: "/v1/billing",
  access: "admin",
  summary: "The organization's plan, payment and usage",
  description:
    "A sandbox has no billing account of its own; while its parent has not paid, nothing changes in it either.",
  request: {},
  replies: { 200: { description: "Where payment stands.", body: billingOverview } },
  faults: [],
});

export const listUsage = defineContract({
  operation: "listUsage",
  area: "billing",
  method: "GET",
  path: "/v1/billing/usage",
  access: "admin",
  summary: "The organization's usage by day and category",
  description: `At most ${billingLimits.days} days, by default the last 30.`,
  request: { query: z.object({ start_date: day.optional(), end_date: day.optional() }) },
  replies: {
    200: {
      description: "The usage, oldest first.",
      body: z
        .object({ start_date: day, end_date: day, usage: z.array(usageRecord), truncated: z.boolean() })
        .meta({ id: "UsageList" }),
    },
  },
  faults: [],
});

export const receiveBillingHook = defineContract({
  operation: "receiveBillingHook",
  area: "billing",
  method: "POST",
  path: "/v1/billing/hooks",
  access: "signature",
  summary: "Events of the payment vendor",
  description:
    "Called by the payment vendor, which signs the body (`Stripe-Signature`). The event is stored and handled later. What " +
    "it says is not taken over: the platform asks the vendor for the present state.",
  request: {
    headers: z.object({ "stripe-signature": z.string().max(4_000).optional().describe("`t=…,v1=…`") }),
    rawBody: { "application/json": "The event, as the payment vendor signed it." },
  },
  replies: {
    200: {
      description: "The event is safe, or was received before.",
      body: z.object({ received: z.literal(true) }).meta({ id: "BillingHookReceived" }),
    },
  },
  faults: ["invalid_signature"],
});

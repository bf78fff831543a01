import * as z from "zod";
import { defineJob, type JobContract } from "./schedules.ts";

const count = z.int().min(0);

export const reconcileSandboxes = defineJob({
  job: "reconcile-sandboxes",
  summary: "Completes or undoes operations on sandboxes on which nobody works any more",
  rate: { minutes: 1 },
  output: z.object({
    restarted: count.describe("Operations that can only be completed, and were started again."),
    undone: count.describe("Operations of which nothing is left."),
    failed: count.describe("Operations that could not be taken up. The next run tries again."),
  }),
});

export const sweepSandboxes = defineJob({
  job: "sweep-sandboxes",
  summary: "Drops copies that no operation on a sandbox uses, and databases without a sandbox",
  rate: { hours: 1 },
  output: z.object({
    databases: count.describe("Databases of sandboxes that are no longer registered."),
    copies: count.describe("Copies that were never put to use."),
  }),
});

export const sweepOutbox = defineJob({
  job: "sweep-outbox",
  summary: "Sends messages and schedules that were committed and not sent, and fails messages whose consumer has died",
  rate: { minutes: 1 },
  output: z.object({
    organizations: count.describe("Organizations that were visited."),
    failed: count.describe("Organizations whose visit failed. The next run tries again."),
    sent: count.describe("Messages and schedules that were sent."),
    interrupted: count.describe("Messages that were failed, because nobody works on them any more."),
  }),
});

export const reconcileSchedules = defineJob({
  job: "reconcile-schedules",
  summary: "Gives scheduled items without a schedule a new one, and removes schedules without an item",
  rate: { hours: 1 },
  output: z.object({
    organizations: count.describe("Organizations that were visited."),
    failed: count.describe("Organizations whose visit failed. The next run tries again."),
    restored: count.describe("Schedules that were made again."),
    removed: count.describe("Schedules that were removed."),
    ended: count.describe(
      "Items that were failed because nobody runs them any more, or completed because their end has come.",
    ),
    complete: z.boolean().describe("Whether all schedules were compared. The next run begins elsewhere."),
  }),
});

export const reconcileExecutions = defineJob({
  job: "reconcile-executions",
  summary:
    "Fails executions of functions, triggers and automations, and runs of scheduled items, that nobody runs any more",
  rate: { minutes: 1 },
  output: z.object({
    organizations: count.describe("Organizations that were visited."),
    failed: count.describe("Organizations whose visit failed. The next run tries again."),
    interrupted: count.describe("Executions that were failed."),
  }),
});

export const sweepMessages = defineJob({
  job: "sweep-messages",
  summary: "Lets messages be sent whose next attempt is due, whose schedule was lost, or whose worker has died",
  rate: { minutes: 1 },
  output: z.object({
    organizations: count.describe("Organizations that were visited."),
    failed: count.describe("Organizations whose visit failed. The next run tries again."),
    due: count.describe("Messages whose time had come."),
    interrupted: count.describe("Messages whose worker has died."),
  }),
});

export const sweepFiles = defineJob({
  job: "sweep-files",
  summary: "Deletes files whose document was never written, and those of sandboxes that were refreshed or deleted",
  rate: { minutes: 10 },
  output: z.object({
    uploads: count.describe("Uploads that were interrupted, and whose file was deleted."),
    organizations: count.describe("Organizations whose files were compared with their documents."),
    deleted: count.describe("Files that were deleted."),
    failed: count.describe("Organizations that could not be visited. The next run tries again."),
  }),
});

export const syncBilling = defineJob({
  job: "sync-billing",
  summary:
    "Begins the sync of the SMS vendor's usage of the last three days, and has the payment of every customer read",
  rate: { days: 1 },
  output: z.object({
    run_id: z.string().describe("Shown by GET /v1/billing/usage-runs/{run_id}."),
    organizations: count.describe("Organizations whose usage is synced."),
    days: count,
    status: z.enum(["running", "completed"]),
    payments: count.describe("Organizations whose payment is read."),
  }),
});

/** Every job of the platform. A contract that is not listed here is not deployed. */
export const jobs: readonly JobContract[] = [
  reconcileExecutions,
  reconcileSandboxes,
  sweepMessages,
  sweepFiles,
  sweepOutbox,
  sweepSandboxes,
  syncBilling,
  reconcileSchedules,
];

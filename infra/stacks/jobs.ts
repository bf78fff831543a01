import { queues } from "#contracts/queues";
import { runsAutomations } from "./operation-needs.ts";
import type { ScheduledJob, ScheduledWorkSettings } from "./schedules.ts";
import type { Settings } from "./settings.ts";

/** Runs code for up to 60 seconds, and writes records and what follows from them. */
export const runScheduledSettings = ({ scheduledRunConcurrency }: Settings): ScheduledWorkSettings => ({
  needs: { ...runsAutomations, timeout: 90 },
  impact: "scheduled items are late: they are run when the next run of the job reconcile-schedules finds them.",
  mostConcurrent: scheduledRunConcurrency,
});

/** Name → job. The contracts are in `shared/contracts/jobs.ts`. */
export const scheduledJobs: Readonly<Record<string, ScheduledJob>> = {
  "reconcile-executions": {
    needs: {},
    impact: "executions whose process has died look as if they were still running; their callers were told.",
  },
  "reconcile-sandboxes": {
    needs: { provisions: true, startsWorkflows: ["sandbox"] },
    impact:
      "sandboxes whose creation, refresh or deletion was interrupted stay as they are; a refreshing one may be closed.",
  },
  "reconcile-schedules": {
    needs: { schedules: true, sends: ["deliver-notification"], listsSchedules: true, timeout: 300 },
    impact: "scheduled items whose schedule was lost do not run, and delays of automations do not end.",
  },
  "sweep-messages": {
    needs: { sends: ["deliver-message"] },
    impact: "messages of organizations that a vendor has not taken at once, and interrupted ones, stay as they are.",
  },
  "sweep-files": {
    needs: { files: { deletes: ["documents"], lists: ["documents"] }, timeout: 300 },
    impact: "nobody is affected; files without a document take up space, those of deleted sandboxes among them.",
  },
  "sweep-outbox": {
    needs: { sends: queues.filter(({ scope }) => scope !== "aws").map(({ queue }) => queue), schedules: true },
    impact:
      "asynchronous work of organizations is late or lost: triggers, automations and schedules that were committed.",
  },
  "sync-billing": {
    needs: { sends: ["billing-hook", "usage-sync"], timeout: 300 },
    impact: "the usage of organizations is not billed, and payments whose events were lost are not noticed.",
  },
  "sweep-sandboxes": {
    needs: { provisions: true, timeout: 300 },
    impact: "nobody is affected; copies and databases that are of no use take up space.",
  },
};

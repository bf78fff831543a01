import { queues } from "#contracts/queues";
import type { ScheduledJob } from "./schedules.ts";

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
  "sweep-outbox": {
    needs: { sends: queues.map(({ queue }) => queue) },
    impact:
      "asynchronous work of organizations is late or lost: triggers, automations and schedules that were committed.",
  },
  "sweep-sandboxes": {
    needs: { provisions: true, timeout: 300 },
    impact: "nobody is affected; copies and databases that are of no use take up space.",
  },
};

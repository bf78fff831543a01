import type { ScheduledJob } from "./schedules.ts";

/** Name → job. The contracts are in `shared/contracts/schedules.ts`. */
export const scheduledJobs: Readonly<Record<string, ScheduledJob>> = {};

import { runScheduled as contract } from "#contracts/scheduled-work";
import { scheduledWork } from "#shared/lambda/schedule/scheduled-work";
import { runScheduled } from "#shared/schedules/schedules";

export const handler = scheduledWork(contract)(async (delivery, run) => ({
  outcome: await runScheduled(delivery, run),
}));

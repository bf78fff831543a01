import { reconcileSchedules as contract } from "#contracts/jobs";
import { scheduled } from "#shared/lambda/schedule/scheduled";
import { reconcileSchedules } from "#shared/schedules/schedules";

export const handler = scheduled(contract)(({ remaining }) => reconcileSchedules(remaining));

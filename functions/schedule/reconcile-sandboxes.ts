import { reconcileSandboxes as contract } from "#contracts/jobs";
import { scheduled } from "#shared/lambda/schedule/scheduled";
import { reconcileRuns } from "#shared/sandboxes/run/run";

export const handler = scheduled(contract)(reconcileRuns);

import { sweepSandboxes as contract } from "#contracts/jobs";
import { scheduled } from "#shared/lambda/schedule/scheduled";
import { sweepLeftovers } from "#shared/sandboxes/run/run";

export const handler = scheduled(contract)(sweepLeftovers);

import { cleanUpSandboxRun as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { cleanUpStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => ({ outcome: await cleanUpStep(input) }));

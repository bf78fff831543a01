import { registerSandboxRun as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { registerRun } from "#shared/sandboxes/run/run";

export const handler = task(contract)((input) => registerRun(input));

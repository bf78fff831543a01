import { finishSandboxRun as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { finishStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await finishStep(input);
  return {};
});

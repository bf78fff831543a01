import { unregisterSandbox as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { unregisterStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await unregisterStep(input);
  return {};
});

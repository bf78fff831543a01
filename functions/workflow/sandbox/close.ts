import { closeSandbox as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { closeStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await closeStep(input);
  return {};
});

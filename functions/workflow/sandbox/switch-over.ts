import { switchOver as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { switchOverStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await switchOverStep(input);
  return {};
});

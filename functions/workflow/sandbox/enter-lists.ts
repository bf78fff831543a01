import { enterLists as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { enterListsStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await enterListsStep(input);
  return {};
});

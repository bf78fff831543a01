import { leaveLists as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { leaveListsStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await leaveListsStep(input);
  return {};
});

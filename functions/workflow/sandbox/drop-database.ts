import { dropSandboxDatabase as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { dropDatabaseStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await dropDatabaseStep(input);
  return {};
});

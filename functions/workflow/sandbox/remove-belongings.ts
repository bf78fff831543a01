import { removeBelongings as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { removeBelongingsStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)(async (input) => {
  await removeBelongingsStep(input);
  return {};
});

import { applySafety as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { applySafetyStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)((input) => applySafetyStep(input));

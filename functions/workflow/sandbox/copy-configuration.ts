import { copyConfiguration as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { copyConfigurationStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)((input) => copyConfigurationStep(input));

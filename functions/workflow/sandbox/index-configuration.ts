import { indexConfiguration as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { indexConfigurationStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)((input) => indexConfigurationStep(input));

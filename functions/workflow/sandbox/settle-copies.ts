import { settleCopies as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { settleCopiesStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)((input) => settleCopiesStep(input));

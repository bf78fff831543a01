import { copyUsers as contract } from "#contracts/sandbox-workflow";
import { task } from "#shared/lambda/workflow/task";
import { copyUsersStep } from "#shared/sandboxes/run/run";

export const handler = task(contract)((input) => copyUsersStep(input));

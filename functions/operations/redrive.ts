import { redrive as contract } from "#contracts/operations";
import { operation } from "#shared/lambda/operation/operation";
import { redriveDeadLetters } from "#shared/lambda/queue/redrive";

export const handler = operation(contract)((input) => redriveDeadLetters(input));

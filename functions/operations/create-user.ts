import { createUser as contract } from "#contracts/operations";
import { createUser } from "#shared/identity/identity";
import { operation } from "#shared/operations/operations";

export const handler = operation(contract)(createUser);

import { createUser as contract } from "#contracts/operations";
import { createUser } from "#shared/identity/identity";
import { leakedPasswords } from "#shared/leaked-passwords/leaked-passwords";
import { operation } from "#shared/operations/operations";

export const handler = operation(contract)((user, { request_id }) => createUser(user, leakedPasswords, request_id));

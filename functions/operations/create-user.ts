import { createUser as contract } from "#contracts/operations";
import { leakedPasswords } from "#shared/identity/credentials/leaked-passwords/leaked-passwords";
import { createUser } from "#shared/identity/identity";
import { operation } from "#shared/lambda/operation/operation";

export const handler = operation(contract)((user, { request_id }) => createUser(user, leakedPasswords, request_id));

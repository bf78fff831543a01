import { migrate as contract } from "#contracts/operations";
import { operation } from "#shared/lambda/operation/operation";
import { migrateAll } from "#shared/migrations/migrations";

export const handler = operation(contract)((options, { remaining }) => migrateAll({ ...options, remaining }));

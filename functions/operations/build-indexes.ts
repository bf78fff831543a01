import { buildIndexes as contract } from "#contracts/operations";
import { buildIndexesOf } from "#shared/data/schema/schema";
import { operation } from "#shared/lambda/operation/operation";

export const handler = operation(contract)(({ organization_id, object }) => buildIndexesOf(organization_id, object));

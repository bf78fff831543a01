import { finishRenames as contract } from "#contracts/operations";
import { finishRenamesOf } from "#shared/data/records/renames/renames";
import { operation } from "#shared/lambda/operation/operation";

export const handler = operation(contract)(({ organization_id }) => finishRenamesOf(organization_id));

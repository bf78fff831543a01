import { generateSchemas as contract } from "#contracts/schema";
import { generateSchemas } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant }) => reply(200, await generateSchemas(tenant, invokeLater)));

import { getJwks } from "#contracts/discovery";
import { jsonWebKeys } from "#shared/foundation/tokens/tokens";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getJwks)(async () =>
  reply(200, { keys: await jsonWebKeys() }, { "cache-control": "public, max-age=300" }),
);

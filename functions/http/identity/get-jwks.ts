import { getJwks } from "#contracts/discovery";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { jsonWebKeys } from "#shared/tokens/tokens";

export const handler = endpoint(getJwks)(async () =>
  reply(200, { keys: await jsonWebKeys() }, { "cache-control": "public, max-age=300" }),
);

import { getDocsAsset } from "#contracts/api-reference";
import { Fault } from "#shared/foundation/faults";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { scriptFile } from "#shared/openapi/openapi";

export const handler = endpoint(getDocsAsset)(async ({ path }) => {
  const script = await scriptFile(path.name);
  if (script === null) throw new Fault("route_not_found");
  return reply(200, script, { "cache-control": "public, max-age=31536000, immutable" });
});

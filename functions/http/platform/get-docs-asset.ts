import { getDocsAsset } from "#contracts/api-reference";
import { Fault } from "#shared/faults";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { scriptFile } from "#shared/openapi/openapi";

export const handler = endpoint(getDocsAsset)(async ({ path }) => {
  const script = await scriptFile(path.name);
  if (script === null) throw new Fault("route_not_found");
  return reply(200, script, { "cache-control": "public, max-age=31536000, immutable" });
});

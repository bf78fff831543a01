import * as z from "zod";
import { nowMillis } from "#shared/foundation/clock";
import { integrationRequest } from "../integrations/integrations.ts";
import { namedArguments, parsedAs } from "./arguments.ts";
import type { Method } from "./method.ts";

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const request = z.object({
  provider: z.string().min(1).max(255),
  method: z.string().min(1).max(10),
  path: z.string().min(1).max(8_192),
  json: z.unknown().optional(),
  params: z.record(z.string(), z.union([scalar, z.array(scalar).max(100)])).nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
});

const send: Method = {
  scope: "write",
  run: async ({ tenant, deadline }, call) => {
    const named = namedArguments(call, ["provider", "method", "path", "json", "params", "headers"]);
    const { provider, method, path, json, params, headers } = parsedAs(request, named);
    return integrationRequest(tenant, provider, method, path, {
      ...(json !== undefined && json !== null && { json }),
      ...(params && { params }),
      ...(headers && { headers }),
      within: deadline - nowMillis(),
    });
  },
};

export const integrationMethods: Readonly<Record<string, Method>> = { "integrations.request": send };

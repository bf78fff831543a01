import * as z from "zod";
import { configValue } from "#shared/data/records/records";
import { namedArguments, parsedAs } from "./arguments.ts";
import type { Method } from "./method.ts";

const getConfig: Method = {
  scope: "read",
  run: async ({ tenant }, call) => {
    const named = namedArguments(call, ["api_name", "default"]);
    const found = await configValue(tenant, parsedAs(z.string().min(1).max(255), named.api_name, ["api_name"]));
    return found ?? named.default ?? null;
  },
};

export const metadataMethods: Readonly<Record<string, Method>> = { "metadata.get_config": getConfig };

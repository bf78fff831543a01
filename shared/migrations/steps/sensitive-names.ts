import { listSensitiveNames, unlistedSensitiveNames } from "#shared/data/schema/schema";
import type { TenantStep } from "./step.ts";

/** Lists the objects with a sensitive `name` in the organization state, so that references mask these names. */
export const sensitiveNames: TenantStep = {
  run: async (organization) => {
    const objects = await listSensitiveNames(organization);
    return objects.length === 0 ? {} : { objects };
  },
  preview: async (organization) => {
    const objects = await unlistedSensitiveNames(organization);
    return objects.length === 0 ? {} : { objects };
  },
};

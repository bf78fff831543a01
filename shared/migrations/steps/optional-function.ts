import { makeFunctionOptional, requiresFunction } from "#shared/data/schema/schema";
import type { TenantStep } from "./step.ts";

/** Scheduled items may have an automation in place of a function. */
export const optionalFunction: TenantStep = {
  run: async (organization) => {
    if (!(await requiresFunction(organization))) return {};
    await makeFunctionOptional(organization);
    return { fields: ["scheduled_item.function"] };
  },
  preview: async (organization) =>
    (await requiresFunction(organization)) ? { fields: ["scheduled_item.function"] } : {},
};

import { addStandardModel, missingStandardModel } from "#shared/data/schema/schema";
import type { TenantStep } from "./step.ts";

/** Standard objects and fields that the organization does not have. What administrators have added or changed stays. */
export const standardModel: TenantStep = {
  run: async (organization) => ({ ...(await addStandardModel(organization)) }),
  preview: async (organization) => ({ ...(await missingStandardModel(organization)) }),
};

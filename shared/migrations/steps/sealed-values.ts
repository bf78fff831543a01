import { sealStoredValues, unsealedValues } from "#shared/data/records/writer/writer";
import type { TenantStep } from "./step.ts";

/** Seals write-only values that were stored before values were sealed. */
export const sealedValues: TenantStep = {
  run: async (organization) => {
    const sealed = await sealStoredValues(organization);
    return sealed === 0 ? {} : { sealed };
  },
  preview: async (organization) => {
    const unsealed = await unsealedValues(organization);
    return unsealed === 0 ? {} : { unsealed };
  },
};

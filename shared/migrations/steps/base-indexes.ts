import { createBaseIndexes } from "#shared/tenant/tenant";
import type { BaseStep } from "./step.ts";

export const baseIndexes: BaseStep = {
  run: async () => {
    await createBaseIndexes();
    return {};
  },
  preview: async () => ({ indexes: "of the base database" }),
};

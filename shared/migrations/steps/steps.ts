import type { BaseName, TenantName } from "../ledger/list.ts";
import type { BaseStep, TenantStep } from "./step.ts";

/** Imported when they are needed, because most runs need none. */
export const baseSteps: Readonly<Record<BaseName, () => Promise<BaseStep>>> = {
  "base-indexes": async () => (await import("./base-indexes.ts")).baseIndexes,
};

export const tenantSteps: Readonly<Record<TenantName, () => Promise<TenantStep>>> = {
  "own-indexes-1": async () => (await import("./own-indexes.ts")).ownIndexes,
  "standard-model": async () => (await import("./standard-model.ts")).standardModel,
  "sealed-values-1": async () => (await import("./sealed-values.ts")).sealedValues,
  "readers-1": async () => (await import("./readers.ts")).readers,
  "optional-function-1": async () => (await import("./optional-function.ts")).optionalFunction,
  "sensitive-names-1": async () => (await import("./sensitive-names.ts")).sensitiveNames,
};

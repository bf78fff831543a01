import { randomBytes } from "node:crypto";
import type { Document, IndexDescription } from "mongodb";
import type { ConfigurationKind } from "#contracts/sandbox-bodies";
import { indexPlanOf, type ObjectSchema } from "#shared/data/schema/schema";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { nextName, type Provisioning } from "#shared/tenant/provisioning/provisioning";
import type { Replacement } from "#shared/tenant/tenant";
import { configurationPipeline, SCHEMAS } from "../copying/configuration.ts";
import { schemaOfDocument } from "../copying/people.ts";
import type { HeldSandbox } from "../registry.ts";
import { completeStep, holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";

/** Milliseconds. Below the time limit of the functions that copy, so that the database stops first. */
export const LONGEST_COPY_MS = 12 * 60_000;

/** Different for each attempt, so that a late one harms nobody. */
const newToken = (): string => randomBytes(4).toString("hex");

export const schemaInParent = async (provisioning: Provisioning, object: string): Promise<ObjectSchema | null> =>
  schemaOfDocument((await provisioning.read("schemas", [{ $match: { _id: object } }]))[0]);

/**
 * Copies documents of the parent under a new name. If the run was superseded meanwhile, nothing is left of the copy.
 * Raises `sandbox_run_superseded`.
 */
export const copyAs = async (
  entry: HeldSandbox,
  provisioning: Provisioning,
  to: string,
  pipeline: readonly Document[] | null,
): Promise<Replacement> => {
  const { run, progress } = entry.sandbox;
  const from = nextName(run.id, newToken(), to);
  if (pipeline !== null) await provisioning.copy(to, pipeline, from, { maxTimeMS: LONGEST_COPY_MS });
  // A collection without documents may not have been created.
  await provisioning.createCollection(from);
  try {
    await holdRun({ sandbox_id: entry._id, run_id: run.id }, progress.step, LONGEST_COPY_MS);
  } catch (error) {
    await provisioning.drop(from);
    throw error;
  }
  return { from, to };
};

/** Whether no records of the copy hold equal values of a unique index. */
const hasBuilt = async (
  provisioning: Provisioning,
  copy: string,
  indexes: readonly IndexDescription[],
): Promise<boolean> => {
  try {
    await provisioning.createIndexes(copy, indexes);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
};

/** An index that the parent does not have either, because records hold equal values, is left out. */
export const indexCopy = async (
  provisioning: Provisioning,
  { from }: Replacement,
  schema: ObjectSchema | null,
): Promise<void> => {
  if (schema === null) return;
  const { indexes } = indexPlanOf(schema);
  // Together they are built in one scan.
  if (await hasBuilt(provisioning, from, indexes)) return;
  for (const index of indexes) await hasBuilt(provisioning, from, [index]);
};

export const copyKind = async (
  entry: HeldSandbox,
  provisioning: Provisioning,
  kind: ConfigurationKind,
): Promise<Replacement> => {
  const schema = kind === SCHEMAS ? null : await schemaInParent(provisioning, kind);
  return copyAs(entry, provisioning, kind, configurationPipeline(kind, schema));
};

export const copyConfigurationStep = async (
  input: RunInput & { readonly kind: ConfigurationKind },
): Promise<Replacement> => {
  const entry = await holdRun(input, "copy-configuration", LONGEST_COPY_MS);
  return copyKind(entry, await provisioningOf(entry), input.kind);
};

export const indexConfigurationStep = async (
  input: RunInput & { readonly kind: ConfigurationKind; readonly copy: Replacement },
): Promise<Replacement> => {
  const { kind, copy } = input;
  const entry = await holdRun(input, "index-configuration", LONGEST_COPY_MS);
  const provisioning = await provisioningOf(entry);
  if (kind !== SCHEMAS) await indexCopy(provisioning, copy, await schemaInParent(provisioning, kind));
  await completeStep(input, kind);
  return copy;
};

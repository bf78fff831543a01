import type { Document } from "mongodb";
import { guarded } from "#shared/data/pipeline/guard";
import type { Source, Sources } from "#shared/data/pipeline/sources";
import { translate } from "#shared/data/pipeline/translate";
import { newWalk } from "#shared/data/pipeline/walk";

/** The same without names in some of its lookups. */
export const withoutNamesIn = (source: Source, ...fields: readonly string[]): Source => ({
  ...source,
  masks: new Map(fields.map((field) => [field, "every"])),
});

export const sourceOf = (name: string, fields: readonly string[], filter: Document | null = null): Source => ({
  name,
  filter,
  readable: new Set(["_id", "id", "created_date", ...fields]),
  masks: new Map(),
  masked: new Map(),
  moments: new Set(["created_date"]),
});

/** The stages that are sent for a pipeline on the first source. Raises the issues of a refused one. */
export const confined = (sources: readonly Source[], pipeline: readonly unknown[]): Document[] => {
  const named: Sources = {
    find: (name) => sources.find((source) => source.name === name.toLowerCase()),
    meant: () => undefined,
  };
  const walk = newWalk(named);
  const [source] = sources as [Source];
  const stages = translate(pipeline, ["pipeline"], { walk, variables: new Set(), stored: source }, "");
  if (walk.issues.length > 0) throw new Error(walk.issues.map(({ msg }) => msg).join("\n"));
  return guarded(source, stages);
};

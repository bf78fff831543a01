import type { StageName } from "../arguments/stages.ts";
import { graphLookup } from "./graph-lookup.ts";
import { bucket, count, group, sortByCount } from "./group.ts";
import { lookup } from "./lookup.ts";
import { redact } from "./redact.ts";
import { match, sample, skipOrLimit, sort, transforming } from "./simple-stages.ts";
import { collStats, documents, indexStats } from "./sources.ts";
import { registerStages, type StageCompiler } from "./stage.ts";
import { facet, unionWith } from "./sub-pipelines.ts";
import { unwind } from "./unwind.ts";
import { setWindowFields } from "./window.ts";

const stages: Record<Exclude<StageName, "$out" | "$merge">, StageCompiler> = {
  $addFields: transforming,
  $bucket: bucket,
  $collStats: collStats,
  $count: count,
  $documents: documents,
  $facet: facet,
  $graphLookup: graphLookup,
  $group: group,
  $indexStats: indexStats,
  $limit: skipOrLimit,
  $lookup: lookup,
  $match: match,
  $project: transforming,
  $redact: redact,
  $replaceRoot: transforming,
  $replaceWith: transforming,
  $sample: sample,
  $set: transforming,
  $setWindowFields: setWindowFields,
  $skip: skipOrLimit,
  $sort: sort,
  $sortByCount: sortByCount,
  $unionWith: unionWith,
  $unset: transforming,
  $unwind: unwind,
};

/** $out and $merge are compiled separately: they end a pipeline and write (see output.ts). */
export const stageNames: readonly string[] = [...Object.keys(stages), "$out", "$merge"];

/** Registers all stages. Must run before the first pipeline is compiled. */
export function installStages(): void {
  registerStages(stages);
}

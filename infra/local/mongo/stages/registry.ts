import { graphLookup } from "./graph-lookup.ts";
import { bucket, count, group, sortByCount } from "./group.ts";
import { lookup } from "./lookup.ts";
import { registerStages, type StageCompiler } from "./pipeline.ts";
import { facet, match, redact, sample, skipOrLimit, sort, transforming, unionWith, unwind } from "./plain.ts";
import { collStats, documents, indexStats } from "./sources.ts";
import { setWindowFields } from "./window.ts";

const stages: Record<string, StageCompiler> = {
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

/** $out and $merge are not here: they end a pipeline and write (see output.ts). */
export const stageNames: readonly string[] = [...Object.keys(stages), "$out", "$merge"];

/** Makes every stage known. Must run before the first pipeline is compiled. */
export function installStages(): void {
  registerStages(stages);
}

import { MongoFault } from "../fault.ts";
import { bucket, count, group, sortByCount } from "./group.ts";
import { graphLookup } from "./graph-lookup.ts";
import { lookup } from "./lookup.ts";
import { facet, match, redact, sample, sort, skipOrLimit, transforming, unionWith, unwind } from "./plain.ts";
import type { StageCompiler } from "./pipeline.ts";
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

export function stageNamed(name: string): StageCompiler {
  const stage = stages[name];
  if (stage === undefined) throw new MongoFault(40324, `Unrecognized pipeline stage name: '${name}'`);
  return stage;
}

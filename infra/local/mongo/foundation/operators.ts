import table from "./operators.json" with { type: "json" };

export type OperatorKind = keyof typeof table;

const listed: Readonly<Record<OperatorKind, ReadonlySet<string>>> = {
  stages: new Set(table.stages),
  expressions: new Set(table.expressions),
  accumulators: new Set(table.accumulators),
  window: new Set(table.window),
  query: new Set(table.query),
  update: new Set(table.update),
};

/** The one list of what is supported. An operator that is implemented but not listed is refused. */
export function isSupported(kind: OperatorKind, name: string): boolean {
  return listed[kind].has(name);
}

/**
 * Operators that MongoDB has and this server does not support. The refusal names them, so that nobody suspects a typo.
 */
const knownUnsupported = new Set([
  "$where",
  "$text",
  "$near",
  "$nearSphere",
  "$geoWithin",
  "$geoIntersects",
  "$geoNear",
  "$search",
  "$searchMeta",
  "$vectorSearch",
  "$rankFusion",
  "$scoreFusion",
  "$changeStream",
  "$changeStreamSplitLargeEvent",
  "$currentOp",
  "$listSessions",
  "$listLocalSessions",
  "$planCacheStats",
  "$listSampledQueries",
  "$listSearchIndexes",
  "$function",
  "$accumulator",
  "$meta",
  "$score",
  "$shardedDataDistribution",
  "$uuid",
  "$encStrStartsWith",
  "$toHashedIndexKey",
  "$derivative",
  "$integral",
  "$expMovingAvg",
  "$covariancePop",
  "$covarianceSamp",
  "$median",
  "$percentile",
  "$isolated",
  "$querySettings",
  "$fill",
  "$densify",
  "$bucketAuto",
  "$locf",
  "$linearFill",
  "$tsSecond",
  "$tsIncrement",
  "$sampleRate",
  "$minMaxScaler",
  "$box",
  "$center",
  "$centerSphere",
  "$geometry",
  "$createObjectId",
  "$hash",
  "$hexHash",
  "$serializeEJSON",
  "$deserializeEJSON",
  "$sigmoid",
  "$documentNumber",
]);

export const isKnownUnsupported = (name: string): boolean => knownUnsupported.has(name);

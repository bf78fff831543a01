import table from "../../../shared/data/query/operators.json" with { type: "json" };

export type OperatorKind = keyof typeof table;

/** The one list of what is understood. An operator that is implemented but not listed is refused all the same. */
export function isListed(kind: OperatorKind, name: string): boolean {
  return Object.hasOwn(table[kind], name);
}

/** Operators that MongoDB has and this server leaves out: named in the refusal, so that nobody suspects a typo. */
const knownElsewhere = new Set([
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
  "$redact",
  "$tsSecond",
  "$tsIncrement",
  "$binarySize",
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

export const isKnownElsewhere = (name: string): boolean => knownElsewhere.has(name);

/** Limits on the cost of a pipeline. */
export const pipelineLimits = {
  /** Nested objects and arrays. MongoDB refuses documents nested deeper than 180. */
  depth: 60,
  /** Values in the whole pipeline, of any type. */
  values: 50_000,
  /** Stages of the pipeline and of all pipelines inside it. */
  stages: 200,
  /** Stages that read another collection: `$lookup`, `$graphLookup`, `$unionWith`. */
  joins: 20,
  /** The largest size of `$sample`. */
  sample: 10_000,
  /** Keys of one sort; MongoDB's own limit. */
  sortKeys: 32,
  /** Issues in one reply. */
  issues: 100,
} as const;

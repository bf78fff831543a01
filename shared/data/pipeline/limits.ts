/** Bounds that keep a hostile pipeline from costing more than a reasonable one. */
export const pipelineLimits = {
  /** Objects and arrays inside each other; MongoDB refuses documents nested deeper than 180. */
  depth: 60,
  /** Values of the whole pipeline, of whatever kind. */
  values: 50_000,
  /** Stages of the pipeline and all pipelines inside of it. */
  stages: 200,
  /** Stages that read a further collection: `$lookup`, `$graphLookup`, `$unionWith`. */
  joins: 20,
  /** What `$sample` may ask for. */
  sample: 10_000,
  /** Keys of one order; MongoDB's own bound. */
  sortKeys: 32,
  /** Failures named in one answer. */
  issues: 100,
} as const;

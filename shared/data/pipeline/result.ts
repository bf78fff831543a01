export interface PipelineResult {
  readonly records: Record<string, unknown>[];
  /** Rows before the pipeline's last page; null if it is not known. */
  readonly total: number | null;
  readonly limit: number;
  readonly offset: number;
  /** Rows follow behind the page; null if it is not known. */
  readonly has_more: boolean | null;
  /** The page itself was cut. */
  readonly truncated: boolean;
}

/** What is not known is left out, never guessed. */
export const pageHeaders = (result: Omit<PipelineResult, "records">): Record<string, string> => {
  const { total, limit, offset, has_more, truncated } = result;
  return {
    ...(total === null ? {} : { "x-total-count": String(total) }),
    "x-limit": String(limit),
    "x-offset": String(offset),
    ...(has_more === null ? {} : { "x-has-more": String(has_more) }),
    ...(truncated ? { "x-truncated": "true" } : {}),
  };
};

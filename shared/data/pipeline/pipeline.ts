/** Aggregation pipelines of callers: checked, confined to the caller's access, and run. */

import { queryLimits } from "#shared/data/query/query";
import { elapsedMillis } from "#shared/foundation/clock";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { exceededTimeLimit, type Tenant, withSlowReadSlot } from "#shared/tenant/tenant";
import { checkLimits } from "./check-limits.ts";
import { pipelineError } from "./database-error.ts";
import { countable, type FinalPage, finalPageOf } from "./final-page.ts";
import { guarded, type Stage } from "./guard.ts";
import { refuseObject } from "./joins.ts";
import { countRows, runStages } from "./run.ts";
import { collectionNames, loadSources, type Source } from "./sources.ts";
import { translate } from "./translate.ts";
import { newWalk, type Walk } from "./walk.ts";

export interface PipelineRequest {
  /** An object's api_name, case-insensitive. */
  readonly collection: string;
  /** Parsed JSON. Other types are written in MongoDB's extended JSON. */
  readonly pipeline: readonly unknown[];
}

export interface PipelineResult {
  readonly records: Record<string, unknown>[];
  /** The number of rows before the pipeline's last page; null if unknown. */
  readonly total: number | null;
  readonly limit: number;
  readonly offset: number;
  /** Whether there are rows after the page; null if unknown. */
  readonly has_more: boolean | null;
  /** The page was cut at the reply limit. */
  readonly truncated: boolean;
}

/** Headers for unknown numbers are left out. */
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

/** Raises `too_many_queries`, and `validation_failed` with all issues, which name operator and path. */
export const runPipeline = async (tenant: Tenant, request: PipelineRequest): Promise<PipelineResult> => {
  const { source, stages, walk } = await prepare(tenant, request);
  const page = finalPageOf(request.pipeline);
  const run = { tenant, source, stages, walk, started: elapsedMillis() };
  try {
    return page === null ? await runWhole(run) : await runPage(run, page);
  } catch (error) {
    throw pipelineError(error, request.pipeline);
  }
};

interface Run {
  readonly tenant: Tenant;
  readonly source: Source;
  readonly stages: readonly Stage[];
  readonly walk: Walk;
  readonly started: number;
}

const prepare = async (
  tenant: Tenant,
  { collection, pipeline }: PipelineRequest,
): Promise<{ source: Source; stages: readonly Stage[]; walk: Walk }> => {
  const limited = newWalk({ find: () => undefined, meant: () => undefined });
  checkLimits(pipeline, limited);
  refuseIfAny(limited.issues);
  const name = collection.toLowerCase();
  const walk = newWalk(await loadSources(tenant, new Set([name, ...collectionNames(pipeline)])));
  const source = walk.sources.find(name);
  if (source === undefined) refuseObject(walk, ["collection"], collection);
  const variables: ReadonlySet<string> = new Set();
  const stages = translate(pipeline, ["pipeline"], { walk, variables, stored: source ?? null }, "");
  refuseIfAny(walk.issues);
  // An unknown object is an issue, so the source exists here.
  return { source: source as Source, stages, walk };
};

/** Stages whose documents have an `_id` of another meaning than a record's. */
const naming = new Set(["$group", "$bucket", "$sortByCount"]);

const rowsOf = ({ tenant, source, stages }: Run, rowLimit: number, last: object[]): ReturnType<typeof runStages> =>
  withSlowReadSlot(tenant, (maxTimeMS) =>
    runStages(tenant.collection(source.name), [...guarded(source, stages), ...last], {
      maxTimeMS,
      rowLimit,
      keepsId: stages.some(({ name }) => naming.has(name)),
    }),
  );

/** Null if the count is not known within the remaining time of the request. */
const totalOf = async ({ tenant, source, stages, walk, started }: Run, end: number): Promise<number | null> => {
  if (walk.random) return null;
  const counted = countable(stages.slice(0, end));
  const isAll = counted.length === 0 && source.filter === null;
  const all = isAll ? [] : guarded(source, counted);
  try {
    return await withSlowReadSlot(tenant, async (most) => {
      const left = Math.floor(queryLimits.maxTimeMilliseconds - (elapsedMillis() - started));
      return countRows(tenant.collection(source.name), all, Math.min(left, most));
    });
  } catch (error) {
    if (exceededTimeLimit(error) || (error instanceof Fault && error.code === "too_many_queries")) return null;
    throw error;
  }
};

/** A pipeline without a page of its own gives its first rows. They are counted only if there are more. */
const runWhole = async (run: Run): Promise<PipelineResult> => {
  const limit = queryLimits.rows;
  const { rows, truncated } = await rowsOf(run, limit, [{ $limit: limit + 1 }]);
  const total = truncated ? await totalOf(run, run.stages.length) : rows.length;
  return { records: rows, total, limit, offset: 0, has_more: truncated, truncated };
};

const runPage = async (run: Run, page: FinalPage): Promise<PipelineResult> => {
  const { offset, start } = page;
  const limit = page.limit ?? queryLimits.rows;
  const rowLimit = page.limit === null ? queryLimits.rows : Number.POSITIVE_INFINITY;
  const [{ rows, truncated }, total] = await Promise.all([rowsOf(run, rowLimit, []), totalOf(run, start)]);
  const end = page.limit === null ? null : offset + page.limit;
  const follows = end === null ? false : total === null ? null : total > end;
  return { records: rows, total, limit, offset, has_more: truncated || follows, truncated };
};

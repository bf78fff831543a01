import type { Document } from "mongodb";
import type { Source } from "../analyze/resolver.ts";
import { queryLimits } from "../limits.ts";

/** `place` is a path in the documents that are sorted. */
export interface SortKey {
  readonly path: string;
  readonly descending: boolean;
}

/**
 * The intermediate form of a query: the named parts of its pipeline. Paging and counting change the form. Only
 * `pipelineOf` and `countPipelineOf` decide the order of the stages.
 */
export interface QueryForm {
  /** The object whose collection is read: that of FROM, or the one of a join that is cheaper to start with. */
  readonly source: Source;
  /** `$match` and `$set` stages on the records of the source, with the caller's filter first. */
  readonly records: readonly Document[];
  /** The stages that turn records into rows: joins, groups, distinct values. */
  readonly rows: readonly Document[];
  /** The keys together are unique for each row. Empty for an aggregate without groups, which has one row. */
  readonly order: readonly SortKey[];
  /** True if the records are sorted and `rows` keeps their order; false if the rows are sorted. */
  readonly sortsRecords: boolean;
  /** True if the page is cut from the records, because each gives exactly one row; false if it is cut from the rows. */
  readonly cutsRecords: boolean;
  /** The number of records that suffice, because each gives at least one row. Null if that is not so. */
  readonly enoughRecords: EnoughRecords | null;
  readonly offset: number;
  /** Null without LIMIT. */
  readonly limit: number | null;
  /** The fields of the last stage, `$project`. */
  readonly projection: Document;
}

interface EnoughRecords {
  /** The first keys of the form's order, up to the record's id. */
  readonly order: readonly SortKey[];
  /** Records to read beyond the number of rows. */
  readonly extra: number;
}

const sortStage = (order: readonly SortKey[]): Document => ({
  $sort: Object.fromEntries(order.map(({ path, descending }) => [path, descending ? -1 : 1])),
});

/** MongoDB refuses a limit of 0. */
const limitStage = (limit: number): Document => ({ $limit: Math.max(limit, 1) });

const enoughStages = ({ enoughRecords, offset, limit }: QueryForm): Document[] => {
  if (enoughRecords === null || limit === null) return [];
  const { order, extra } = enoughRecords;
  return [sortStage(order), limitStage(Math.max(offset + limit, 1) + extra)];
};

/**
 * The pipeline that reads one page of rows. Without LIMIT it reads one row more than the reply limit, to detect
 * truncation.
 */
export const pipelineOf = (form: QueryForm): Document[] => {
  const { records, rows, order, sortsRecords, cutsRecords, offset, limit, projection } = form;
  const sort = order.length === 0 ? [] : [sortStage(order)];
  const cut = [...(offset > 0 ? [{ $skip: offset }] : []), limitStage(limit ?? queryLimits.rows + 1)];
  return [
    ...records,
    ...(sortsRecords ? sort : enoughStages(form)),
    ...(cutsRecords ? cut : []),
    ...rows,
    ...(sortsRecords ? [] : sort),
    ...(cutsRecords ? [] : cut),
    { $project: projection },
  ];
};

/** The pipeline that counts the rows on all pages as `total`. */
export const countPipelineOf = ({ records, rows, cutsRecords }: QueryForm): Document[] => [
  ...records,
  ...(cutsRecords ? [] : rows),
  { $count: "total" },
];

/** Adds filters at the end of the stages, in the last stage if it is a `$match`. */
export const filtered = (stages: readonly Document[], filters: readonly Document[]): readonly Document[] => {
  if (filters.length === 0) return stages;
  const last = stages.at(-1);
  const known = last !== undefined && "$match" in last ? [last.$match as Document] : [];
  const all = [...known, ...filters];
  return [...stages.slice(0, stages.length - known.length), { $match: all.length === 1 ? all[0] : { $and: all } }];
};

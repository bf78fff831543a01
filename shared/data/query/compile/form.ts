import type { Document } from "mongodb";
import type { Source } from "../analyze/resolver.ts";
import { queryLimits } from "../limits.ts";

/** `place` is a path in the documents that are sorted. */
export interface SortKey {
  readonly place: string;
  readonly descending: boolean;
}

/**
 * The intermediate form of a query: the parts of its pipeline by name. Paging and counting change the form;
 * `pipelineOf` and `countPipelineOf` alone decide how the stages follow each other.
 */
export interface QueryForm {
  /** The object whose collection is read: that of FROM, or the one of a join that is cheaper to begin with. */
  readonly source: Source;
  /** `$match` and `$set` stages on the records of the source; the caller's filter is the first one. */
  readonly records: readonly Document[];
  /** The stages that turn records into rows: joins, groups, distinct values. */
  readonly rows: readonly Document[];
  /** No two rows are equal by all keys together. Empty for an aggregate without groups, which has one row. */
  readonly order: readonly SortKey[];
  /** The records are sorted, and `rows` keeps their order. Otherwise the rows are sorted. */
  readonly sortsRecords: boolean;
  /** The page is cut from the records, because each one gives exactly one row. Otherwise it is cut from the rows. */
  readonly cutsRecords: boolean;
  /** Each record gives one row or more, so that no more records are needed than rows. Null where that is not so. */
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
  $sort: Object.fromEntries(order.map(({ place, descending }) => [place, descending ? -1 : 1])),
});

/** MongoDB refuses a limit of 0. */
const limitStage = (limit: number): Document => ({ $limit: Math.max(limit, 1) });

const enoughStages = ({ enoughRecords, offset, limit }: QueryForm): Document[] => {
  if (enoughRecords === null || limit === null) return [];
  const { order, extra } = enoughRecords;
  return [sortStage(order), limitStage(Math.max(offset + limit, 1) + extra)];
};

/** The pipeline that reads one page of rows. Without LIMIT it reads one row more than an answer may have. */
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

/** The pipeline that counts the rows of all pages as `total`. */
export const countPipelineOf = ({ records, rows, cutsRecords }: QueryForm): Document[] => [
  ...records,
  ...(cutsRecords ? [] : rows),
  { $count: "total" },
];

/** The stages with further filters at their end, in the last `$match` if the last stage is one. */
export const filtered = (stages: readonly Document[], filters: readonly Document[]): readonly Document[] => {
  if (filters.length === 0) return stages;
  const last = stages.at(-1);
  const known = last !== undefined && "$match" in last ? [last.$match as Document] : [];
  const all = [...known, ...filters];
  return [...stages.slice(0, stages.length - known.length), { $match: all.length === 1 ? all[0] : { $and: all } }];
};

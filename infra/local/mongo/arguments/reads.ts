import { failedToParse } from "../foundation/fault.ts";
import { isNumeric, toInteger } from "../values/numbers.ts";
import type { Value } from "../values/types.ts";
import { type Check, type Fields, required } from "./fields.ts";
import {
  anything,
  arrayOf,
  collection,
  flag,
  hint,
  integer,
  long,
  looseBool,
  nonNegative,
  nonNegativeInteger,
  object,
  text,
  uuid,
} from "./types.ts";
import { cursor } from "./writes.ts";

/** A collection name, or 1 for no collection. */
const source: Check = (value, at) => {
  if (!isNumeric(value)) collection(value, at);
  else if (toInteger(value) !== 1)
    throw failedToParse("Invalid command format: the 'aggregate' field must specify a collection name or 1");
};

const verbosity = (value: Value, at: string): void => {
  text(value, at);
  if (!["queryPlanner", "executionStats", "allPlansExecution"].includes(value as string))
    throw failedToParse("verbosity string must be one of {'queryPlanner', 'executionStats', 'allPlansExecution'}");
};

/** The arguments of the commands that read documents. */
export const readArguments = {
  aggregate: {
    aggregate: required(source),
    pipeline: required(arrayOf(object)),
    cursor,
    explain: flag,
    allowDiskUse: flag,
    bypassDocumentValidation: looseBool,
    collation: object,
    hint,
    let: object,
    collectionUUID: uuid,
  },
  count: {
    count: required(collection),
    query: object,
    limit: integer,
    skip: nonNegativeInteger,
    hint,
    collation: object,
    fields: anything,
    collectionUUID: uuid,
  },
  distinct: {
    distinct: required(collection),
    key: required(text),
    query: object,
    collation: object,
    hint,
    collectionUUID: uuid,
  },
  explain: { explain: required(object), verbosity },
  find: {
    find: required(collection),
    filter: object,
    projection: object,
    sort: object,
    hint,
    collation: object,
    skip: nonNegative,
    limit: nonNegative,
    batchSize: nonNegative,
    singleBatch: flag,
    allowDiskUse: flag,
    min: object,
    max: object,
    returnKey: flag,
    showRecordId: flag,
    tailable: flag,
    oplogReplay: anything,
    noCursorTimeout: flag,
    awaitData: flag,
    allowPartialResults: flag,
    let: object,
    collectionUUID: uuid,
  },
  getMore: {
    getMore: required(long),
    collection: required(collection),
    batchSize: nonNegative,
    term: anything,
    lastKnownCommittedOpTime: anything,
  },
  killCursors: { killCursors: required(collection), cursors: required(arrayOf(long)) },
} as const satisfies Readonly<Record<string, Fields>>;

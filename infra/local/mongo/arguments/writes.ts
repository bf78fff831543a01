import { failedToParse } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { type Check, type Fields, required } from "./fields.ts";
import {
  anything,
  arrayOf,
  bool,
  collection,
  flag,
  hint,
  looseBool,
  modification,
  nonNegative,
  number,
  object,
  shape,
  text,
  uuid,
} from "./types.ts";

/** How many documents a delete removes: 0 means all, 1 means one. */
const limit: Check = (value, at) => {
  number(value, at);
  const count = toInteger(value);
  if (count !== 0 && count !== 1) throw failedToParse(`The limit field in delete objects must be 0 or 1. Got ${count}`);
};

const updateStatement = shape({
  q: required(object),
  u: required(modification),
  c: object,
  arrayFilters: arrayOf(object),
  hint,
  multi: bool,
  upsert: bool,
  upsertSupplied: flag,
  collation: object,
  sort: object,
  sampleId: uuid,
  allowShardKeyUpdatesWithoutFullShardKeyInQuery: flag,
});

const deleteStatement = shape({
  q: required(object),
  limit: required(limit),
  hint,
  collation: object,
  sampleId: uuid,
});

const operations: Readonly<Record<string, Check>> = {
  insert: shape({ insert: required(nonNegative), document: required(object) }),
  update: shape({
    update: required(nonNegative),
    filter: required(object),
    updateMods: required(modification),
    multi: bool,
    upsert: bool,
    upsertSupplied: flag,
    arrayFilters: arrayOf(object),
    hint,
    constants: object,
    collation: object,
    sort: object,
    sampleId: uuid,
    allowShardKeyUpdatesWithoutFullShardKeyInQuery: flag,
  }),
  delete: shape({
    delete: required(nonNegative),
    filter: required(object),
    multi: bool,
    hint,
    collation: object,
    sampleId: uuid,
  }),
};

const operation: Check = (value, at) => {
  object(value, at);
  const name = value instanceof Doc ? (value.keys[0] ?? "") : "";
  const check = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (check === undefined) throw failedToParse(`Unrecognized operation in 'bulkWrite': ${name}`);
  check(value, at);
};

const write: Fields = { ordered: bool, bypassDocumentValidation: looseBool, collectionUUID: uuid };

export const cursor = shape({ batchSize: nonNegative });

/** The arguments of the commands that write documents. */
export const writeArguments = {
  insert: {
    insert: required(collection),
    documents: required(arrayOf(object)),
    ...write,
    bypassEmptyTsReplacement: looseBool,
  },
  update: {
    update: required(collection),
    updates: required(arrayOf(updateStatement)),
    ...write,
    let: object,
    bypassEmptyTsReplacement: looseBool,
  },
  delete: { delete: required(collection), deletes: required(arrayOf(deleteStatement)), ...write, let: object },
  findAndModify: {
    query: object,
    fields: object,
    sort: object,
    hint,
    collation: object,
    arrayFilters: arrayOf(object),
    remove: looseBool,
    update: modification,
    upsert: looseBool,
    new: looseBool,
    let: object,
    bypassDocumentValidation: looseBool,
    bypassEmptyTsReplacement: looseBool,
    collectionUUID: uuid,
    sampleId: uuid,
    runtimeConstants: anything,
  },
  bulkWrite: {
    bulkWrite: number,
    ops: required(arrayOf(operation)),
    nsInfo: required(arrayOf(shape({ ns: required(text), collectionUUID: uuid }))),
    cursor,
    ordered: bool,
    bypassDocumentValidation: looseBool,
    bypassEmptyTsReplacement: looseBool,
    let: object,
    errorsOnly: bool,
  },
} as const satisfies Readonly<Record<string, Fields>>;

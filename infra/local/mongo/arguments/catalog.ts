import { badValue, MongoFault } from "../foundation/fault.ts";
import { toInteger } from "../values/numbers.ts";
import { type Check, type Fields, required } from "./fields.ts";
import {
  anything,
  arrayOf,
  bool,
  collection,
  either,
  flag,
  isBool,
  isObject,
  isText,
  isTextList,
  looseBool,
  number,
  object,
  oneOf,
  shape,
  text,
} from "./types.ts";
import { cursor } from "./writes.ts";

const nonEmpty: Check = (value, at) => {
  text(value, at);
  if (value === "") throw badValue(`'${at}' cannot be empty`);
};

const validation = {
  validator: object,
  validationLevel: oneOf("off", "strict", "moderate"),
  validationAction: oneOf("error", "warn"),
  viewOn: nonEmpty,
  pipeline: arrayOf(object),
};

const one: Check = (value, at) => {
  number(value, at);
  if (toInteger(value) !== 1) throw new MongoFault("Location5255100", "Have to pass 1 as 'dropDatabase' parameter");
};

const dropIndexes: Fields = { index: required(either("string, array, object", isText, isTextList, isObject)) };

/** The arguments of the commands that create, change and list databases, collections and indexes. */
export const catalogArguments = {
  collMod: {
    collMod: required(collection),
    ...validation,
    index: shape({
      name: text,
      keyPattern: object,
      expireAfterSeconds: number,
      hidden: looseBool,
      unique: looseBool,
      prepareUnique: looseBool,
    }),
    changeStreamPreAndPostImages: object,
    expireAfterSeconds: either("string, long, int, double, decimal", isText, (value) => toInteger(value) !== undefined),
    timeseries: object,
    cappedSize: number,
    cappedMax: number,
    dryRun: looseBool,
  },
  create: {
    create: required(collection),
    ...validation,
    capped: looseBool,
    autoIndexId: looseBool,
    idIndex: object,
    size: number,
    max: number,
    storageEngine: object,
    collation: object,
    timeseries: object,
    clusteredIndex: either("bool, object", isBool, isObject),
    expireAfterSeconds: number,
    indexOptionDefaults: object,
    encryptedFields: object,
    changeStreamPreAndPostImages: object,
  },
  createIndexes: {
    createIndexes: required(collection),
    indexes: required(arrayOf(object)),
    ignoreUnknownIndexOptions: looseBool,
    commitQuorum: anything,
  },
  drop: { drop: required(collection), collectionUUID: anything },
  dropDatabase: { dropDatabase: required(one) },
  dropIndexes: { dropIndexes: required(collection), ...dropIndexes },
  deleteIndexes: { deleteIndexes: required(collection), ...dropIndexes },
  listCollections: {
    listCollections: anything,
    filter: object,
    nameOnly: looseBool,
    authorizedCollections: looseBool,
    cursor,
    includePendingDrops: looseBool,
  },
  listDatabases: {
    listDatabases: anything,
    filter: object,
    nameOnly: looseBool,
    authorizedDatabases: looseBool,
  },
  listIndexes: { listIndexes: required(collection), cursor, includeBuildUUIDs: flag, includeIndexBuildInfo: flag },
  renameCollection: {
    renameCollection: required(text),
    to: required(text),
    dropTarget: bool,
    stayTemp: looseBool,
  },
} as const satisfies Readonly<Record<string, Fields>>;

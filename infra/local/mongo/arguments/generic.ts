import { badValue, failedToParse, MongoFault } from "../foundation/fault.ts";
import { isNumeric, toInteger } from "../values/numbers.ts";
import { Timestamp } from "../values/types.ts";
import { type Check, type Fields, required, wrongType } from "./fields.ts";
import {
  anything,
  bool,
  either,
  isBool,
  isObject,
  isText,
  long,
  nonNegative,
  object,
  oneOf,
  shape,
  text,
  uuid,
} from "./types.ts";

const timestamp: Check = (value, at) => {
  if (!(value instanceof Timestamp)) throw wrongType(value, at, "type 'timestamp'");
};

const milliseconds: Check = (value, at) => {
  nonNegative(value, at);
  const number = toInteger(value);
  if (number === undefined) throw badValue("maxTimeMS has non-integral value");
  if (number > 2_147_483_647) throw badValue(`${number} value for maxTimeMS is out of range [0, 2147483647]`);
};

const apiVersion: Check = (value, at) => {
  text(value, at);
  if (value !== "1") throw new MongoFault("APIVersionError", `API version must be "1"`);
};

const writers: Check = (value, at) => {
  either("string, object, int, long, double, decimal", isText, isObject, isNumeric)(value, at);
  const count = isNumeric(value) ? (toInteger(value) ?? -1) : 0;
  if (count < 0 || count > 50) throw failedToParse("w has to be a non-negative number and not greater than 50");
};

const provenance = oneOf("clientSupplied", "implicitDefault", "customDefault", "getLastErrorDefaults");

const readConcern = shape({
  level: oneOf("local", "majority", "linearizable", "available", "snapshot"),
  afterClusterTime: timestamp,
  atClusterTime: timestamp,
  afterOpTime: object,
  provenance,
});

const writeConcern = shape({
  w: writers,
  j: either("bool, int, long, double, decimal", isBool, isNumeric),
  wtimeout: either("int, long, double, decimal", isNumeric),
  fsync: either("bool, int, long, double, decimal", isBool, isNumeric),
  provenance,
});

const session = shape({ id: required(uuid), uid: anything, txnNumber: long, txnUUID: uuid });

/**
 * The arguments that any command may have: https://www.mongodb.com/docs/manual/reference/command/ and what drivers
 * send.
 */
export const generic: Fields = {
  $db: text,
  lsid: session,
  txnNumber: long,
  autocommit: bool,
  startTransaction: bool,
  $clusterTime: object,
  $readPreference: object,
  readConcern,
  writeConcern,
  maxTimeMS: milliseconds,
  maxTimeMSOpOnly: milliseconds,
  comment: anything,
  apiVersion,
  apiStrict: bool,
  apiDeprecationErrors: bool,
  clientOperationKey: uuid,
  stmtId: anything,
  stmtIds: anything,
  $audit: anything,
  $client: anything,
  mayBypassWriteBlocking: bool,
  databaseVersion: anything,
  shardVersion: anything,
  rawData: bool,
};

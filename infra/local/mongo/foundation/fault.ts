/** An error as the server reports it: https://www.mongodb.com/docs/manual/reference/error-codes/ */
export class MongoFault extends Error {
  readonly code: number;
  readonly codeName: string;
  readonly labels: readonly string[];

  constructor(code: number, message: string, labels: readonly string[] = []) {
    super(message);
    this.name = "MongoFault";
    this.code = code;
    this.codeName = codeNames[code] ?? `Location${code}`;
    this.labels = labels;
  }
}

const codeNames: Record<number, string> = {
  1: "InternalError",
  2: "BadValue",
  4: "NoSuchKey",
  9: "FailedToParse",
  11: "UserNotFound",
  14: "TypeMismatch",
  15: "Overflow",
  17: "ProtocolError",
  20: "IllegalOperation",
  22: "InvalidBSON",
  26: "NamespaceNotFound",
  27: "IndexNotFound",
  28: "PathNotViable",
  40: "ConflictingUpdateOperators",
  43: "CursorNotFound",
  48: "NamespaceExists",
  50: "MaxTimeMSExpired",
  52: "DollarPrefixedFieldName",
  53: "InvalidIdField",
  56: "EmptyFieldName",
  57: "DottedFieldName",
  59: "CommandNotFound",
  66: "ImmutableField",
  67: "CannotCreateIndex",
  68: "IndexAlreadyExists",
  72: "InvalidOptions",
  73: "InvalidNamespace",
  85: "IndexOptionsConflict",
  86: "IndexKeySpecsConflict",
  112: "WriteConflict",
  115: "CommandNotSupported",
  146: "ExceededMemoryLimit",
  121: "DocumentValidationFailure",
  166: "CommandNotSupportedOnView",
  168: "InvalidPipelineOperator",
  171: "CannotIndexParallelArrays",
  175: "QueryPlanKilled",
  197: "InvalidIndexSpecificationOption",
  206: "ConversionFailure",
  225: "TransactionTooOld",
  238: "NotImplemented",
  241: "ConversionFailure",
  246: "SnapshotUnavailable",
  251: "NoSuchTransaction",
  256: "TransactionCommitted",
  263: "OperationNotSupportedInTransaction",
  279: "ClientDisconnect",
  292: "QueryExceededMemoryLimitNoDiskUseAllowed",
  303: "BSONObjectTooLarge",
  322: "APIVersionError",
  10334: "BSONObjectTooLarge",
  12051: "CursorInUse",
  11000: "DuplicateKey",
  11001: "DuplicateKey",
  13297: "DatabaseDifferCase",
  40414: "IDLFailedToParse",
  40415: "IDLUnknownField",
};

export const badValue = (message: string): MongoFault => new MongoFault(2, message);
export const typeMismatch = (message: string): MongoFault => new MongoFault(14, message);
export const failedToParse = (message: string): MongoFault => new MongoFault(9, message);

/** MongoDB has it, this server does not: say so by name rather than answer something close. */
export const unsupported = (name: string): MongoFault =>
  new MongoFault(238, `${name} is not supported by the embedded database`);

/**
 * The codes of errors that have a name, as in MongoDB's error_codes.yml. Every other error is named after its code,
 * such as `Location40235`. https://www.mongodb.com/docs/manual/reference/error-codes/
 */
const codes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  WriteConflict: 112,
  ConflictingOperationInProgress: 117,
  DocumentValidationFailure: 121,
  CursorInUse: 143,
  ExceededMemoryLimit: 146,
  DurationOverflow: 159,
  CommandNotSupportedOnView: 166,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  InvalidIndexSpecificationOption: 197,
  TransactionTooOld: 225,
  NotImplemented: 238,
  ConversionFailure: 241,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  OperationNotSupportedInTransaction: 263,
  ClientDisconnect: 279,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  APIVersionError: 322,
  UnsupportedOpQueryCommand: 352,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  MergeStageNoMatchingDocument: 13113,
  DatabaseDifferCase: 13297,
  IDLDuplicateField: 40413,
  IDLFailedToParse: 40414,
  IDLUnknownField: 40415,
} as const;

export type ErrorCode = keyof typeof codes | `Location${number}`;

const codeOf = (name: string): number =>
  Object.hasOwn(codes, name) ? codes[name as keyof typeof codes] : Number(name.slice("Location".length));

/** An error as a client receives it. `labels` tell drivers what they may retry. */
export class MongoFault extends Error {
  readonly code: number;
  readonly codeName: ErrorCode;
  readonly labels: readonly string[];

  constructor(codeName: ErrorCode, message: string, labels: readonly string[] = []) {
    super(message);
    this.name = "MongoFault";
    this.code = codeOf(codeName);
    this.codeName = codeName;
    this.labels = labels;
  }
}

export const badValue = (message: string): MongoFault => new MongoFault("BadValue", message);
export const typeMismatch = (message: string): MongoFault => new MongoFault("TypeMismatch", message);
export const failedToParse = (message: string): MongoFault => new MongoFault("FailedToParse", message);

/** Refuses by name what MongoDB has and this server does not, rather than answer something similar. */
export const unsupported = (name: string): MongoFault =>
  new MongoFault("NotImplemented", `${name} is not supported by the embedded database`);

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const DUPLICATE_KEY = 11000;

/** Whether the error is a refused write of a unique index. */
export const isDuplicateKey = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === DUPLICATE_KEY;

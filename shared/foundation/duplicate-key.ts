/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const DUPLICATE_KEY = 11000;

/** Whether the error is a refused write of a unique index. */
export const isDuplicateKey = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === DUPLICATE_KEY;

/** Runs an upsert, and repeats it once: of several first ones at the same time, all but one fail. */
export const repeatedUpsert = async <T>(upsert: () => Promise<T>): Promise<T> => {
  try {
    return await upsert();
  } catch (error) {
    if (isDuplicateKey(error)) return upsert();
    throw error;
  }
};

/** The only reader of the system clock, so that all code uses one time and tests can set it. */
export const now = (): Date => new Date();

/** Milliseconds since the Unix epoch. */
export const nowMillis = (): number => Date.now();

/** Whole seconds since the Unix epoch, as in JWTs (RFC 7519 §2, NumericDate). */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Milliseconds of a monotonic clock, for durations only. */
export const elapsedMillis = (): number => performance.now();

/** The only place that asks for the time, so that everything agrees on it. */
export const now = (): Date => new Date();

/** Milliseconds since the Unix epoch. */
export const nowMillis = (): number => Date.now();

/** Whole seconds since the Unix epoch, as JWTs count (RFC 7519 §2, NumericDate). */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Milliseconds of a clock that never jumps: for durations only. */
export const elapsedMillis = (): number => performance.now();

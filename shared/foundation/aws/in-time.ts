const abortion = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/**
 * Gives a call of the AWS SDK so many whole milliseconds, retries included, and raises a TimeoutError after that; the
 * service may carry it out all the same. The SDK itself would wait without end, and does not look at the signal while it
 * pauses between two attempts.
 */
export const inTime = <T>(within: number, call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> => {
  const abortSignal = AbortSignal.timeout(within);
  // In this order, so that it is the time-out that is raised and not what the SDK makes of it.
  return Promise.race([abortion(abortSignal), call(abortSignal)]);
};

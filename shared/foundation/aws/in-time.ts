const abortion = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

/**
 * Limits a call of the AWS SDK to so many whole milliseconds, retries included, and raises a TimeoutError after that.
 * The service may still carry it out. The SDK itself has no such limit, and ignores the abort signal while it waits
 * between attempts.
 */
export const inTime = <T>(within: number, call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> => {
  const abortSignal = AbortSignal.timeout(within);
  // In this order, so that the TimeoutError is raised and not the SDK's AbortError.
  return Promise.race([abortion(abortSignal), call(abortSignal)]);
};

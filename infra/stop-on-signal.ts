/** How often the parent process is checked, by one system call. */
const watchEvery = 250;
/** For what the stop's own limits do not cover. */
const atMost = 1_900;

interface StopOptions {
  /** Closes everything. Called once. */
  readonly stop: () => Promise<void>;
  /** A process whose end also ends this one, such as npm. */
  readonly parent?: number | undefined;
  readonly print: (line: string) => void;
}

/**
 * Ends the process on a signal or when its parent ends. The first signal stops cleanly, within two seconds; a second
 * one ends the process at once.
 */
export const stopOnSignal = ({ stop, parent, print }: StopOptions): void => {
  let asked: number | undefined;
  const end = (): void => {
    const now = performance.now();
    // npm forwards signals that the terminal has also sent to this process.
    if (asked !== undefined && now - asked < 300) return;
    if (asked !== undefined) process.exit(130);
    asked = now;
    setTimeout(() => process.exit(1), atMost).unref();
    print("Stopping …");
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  // Output to a closed terminal fails, which must not interrupt the closing.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  if (parent === undefined) return;
  const watch = setInterval(() => {
    // An orphaned process gets a new parent at once.
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (asked === undefined) end();
  }, watchEvery);
  watch.unref();
};

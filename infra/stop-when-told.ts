/** How often the parent is looked for: the look is one system call. */
const watchEvery = 250;
/** The stop has limits of its own; this is for whatever they do not cover. */
const atMost = 1_900;

interface Told {
  /** Closes everything; asked once. */
  readonly stop: () => Promise<void>;
  /** Ends with this process too: the one that has started it, such as npm. */
  readonly parent?: number | undefined;
  readonly print: (line: string) => void;
}

/**
 * Ends the process when it is told to, by a signal or by the end of its parent. The first signal stops cleanly, within two
 * seconds; a second one ends at once.
 */
export const stopWhenTold = ({ stop, parent, print }: Told): void => {
  let asked: number | undefined;
  const end = (): void => {
    const now = performance.now();
    // npm passes on what the terminal has sent to this process already: both come at the same time.
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
  // A terminal that has gone takes no more lines; that is no reason to end before everything is closed.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  if (parent === undefined) return;
  const watch = setInterval(() => {
    // An orphan is given to another process at once, whatever its parent died of.
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (asked === undefined) end();
  }, watchEvery);
  watch.unref();
};

import { tint } from "./terminal.ts";

export interface Progress {
  advance(records: number): void;
  stop(): void;
}

/** Fewer records are written before a bar could be read. */
const WORTH_A_BAR = 50;

const silent: Progress = { advance: () => undefined, stop: () => undefined };

/** A progress bar on a terminal; nothing in a script. */
export const progressBar = async (what: string, total: number): Promise<Progress> => {
  if (!process.stderr.isTTY || total < WORTH_A_BAR) return silent;
  // CommonJS: the bundle has its default export alone.
  const { default: progress } = await import("cli-progress");
  const bar = new progress.SingleBar({
    format: `${what} ${tint.cyan("{bar}")} {percentage}%  {value} of {total}  {eta_formatted} left`,
    barCompleteChar: "━",
    barIncompleteChar: "─",
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 50,
    stream: process.stderr,
    // Otherwise the bar would handle Ctrl-C itself.
    gracefulExit: false,
  });
  bar.start(total, 0);
  return { advance: (records) => bar.increment(records), stop: () => bar.stop() };
};

import { tint } from "./terminal.ts";
import { plain } from "./text.ts";

export interface Progress {
  advance(records: number): void;
  stop(): void;
}

/** Fewer records are written before a bar could be read. */
const WORTH_A_BAR = 50;

/** With a bar of 16 columns, the line stays within 80. */
const LONGEST = { what: 32, step: 22 } as const;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

const silent: Progress = { advance: () => undefined, stop: () => undefined };

const drawn = async (total: number, format: string, barsize = 24) => {
  // CommonJS: the bundle has its default export alone.
  const { default: progress } = await import("cli-progress");
  const bar = new progress.SingleBar({
    format,
    barCompleteChar: "━",
    barIncompleteChar: "─",
    barsize,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 50,
    stream: process.stderr,
    // Otherwise the bar would handle Ctrl-C itself.
    gracefulExit: false,
  });
  bar.start(total, 0, { step: "" });
  return bar;
};

/** A progress bar on a terminal; nothing in a script. */
export const progressBar = async (what: string, total: number): Promise<Progress> => {
  if (!process.stderr.isTTY || total < WORTH_A_BAR) return silent;
  const counts = "{percentage}%  {value} of {total}  {eta_formatted} left";
  const bar = await drawn(total, `${what} ${tint.cyan("{bar}")} ${counts}`);
  return { advance: (records) => bar.increment(records), stop: () => bar.stop() };
};

export interface Steps {
  show(progress: { readonly step: string; readonly done: number; readonly total: number }): void;
  stop(): void;
}

/** A progress bar for the steps of an operation of the platform, on a terminal; nothing in a script. */
export const stepBar = async (what: string): Promise<Steps> => {
  if (!process.stderr.isTTY) return { show: () => undefined, stop: () => undefined };
  const bar = await drawn(1, `${cut(what, LONGEST.what)} ${tint.cyan("{bar}")} {percentage}%  {step}`, 16);
  return {
    show({ step, done, total }) {
      bar.setTotal(Math.max(total, 1));
      bar.update(done, { step: cut(plain(step), LONGEST.step) });
    },
    stop: () => bar.stop(),
  };
};

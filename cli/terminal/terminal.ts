import pc from "picocolors";

const { env, argv } = process;

/** https://no-color.org and https://force-color.org; a pipe and a dumb terminal have no colours. */
const coloured = (stream: NodeJS.WriteStream): boolean => {
  if (argv.includes("--no-color") || (env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "") return env.FORCE_COLOR !== "0";
  return stream.isTTY && env.TERM !== "dumb";
};

// The prompt library decides about colours by these variables.
if (argv.includes("--no-color")) env.NO_COLOR = "1";

/** Colours for data (stdout). */
export const paint = pc.createColors(coloured(process.stdout));

/** Colours for messages (stderr). */
export const tint = pc.createColors(coloured(process.stderr));

export const isTerminal = (): boolean => process.stdout.isTTY;

/** Whether prompts are possible: a terminal on both ends. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY && env.CI === undefined;

/** The width of the output. Unlimited without a terminal, unless COLUMNS sets one. */
export const width = (): number => {
  const wanted = Number(env.COLUMNS);
  if (process.stdout.isTTY) return process.stdout.columns || wanted || 80;
  return wanted > 0 ? wanted : Number.POSITIVE_INFINITY;
};

/** Writes to stdout, with backpressure. */
export const print = (text: string): Promise<void> =>
  new Promise((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once("drain", resolve);
  });

/** Writes a message to stderr. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Writes a message on a terminal only. */
export const remark = (line: string): void => {
  if (process.stderr.isTTY) say(tint.dim(line));
};

export const done = (line: string): void => say(`${tint.green("✓")} ${line}`);

export const warn = (line: string): void => say(`${tint.yellow("!")} ${line}`);

/** A reader that closes the pipe (`| head`) is no failure. */
export const survivePipes = (): void => {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  process.stderr.on("error", () => undefined);
};

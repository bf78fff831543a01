import { spawn } from "node:child_process";
import { type Environment, type EnvironmentHooks, functionError, type Outcome, resultOf } from "./environment.ts";

export interface ProcessOptions extends EnvironmentHooks {
  /** The interpreter and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** Of the code. */
  readonly directory: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The time limit of one event in milliseconds. */
  readonly timeout: number;
  readonly onOutput: (text: string) => void;
}

/** In bytes of one line. The largest result of Lambda, its id, and room for escapes. */
const longestLine = 16 * 1024 * 1024;

/** The processes that run, to end them with this one. Their standard input ends too, if this one is killed. */
const running = new Set<number>();
process.once("exit", () => {
  for (const pid of running) killGroup(pid);
});

const killGroup = (pid: number): void => {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
};

/**
 * Starts one execution environment as a process, the leader of its own group. It takes and gives lines of JSON:
 * `{"id", "event", "timeout_ms"}` on standard input, `{"id", "answer"}` or `{"id", "error": {"type", "message"}}`
 * on standard output. What it writes to standard error is the function's log.
 */
export const openProcess = (options: ProcessOptions): Environment => {
  const [file, ...args] = options.command;
  const child = spawn(file, args, {
    cwd: options.directory,
    env: { ...options.variables },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  let ready = false;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let current: { id: string; finish: (outcome: Outcome) => void } | undefined;

  const kill = (): void => {
    if (pid !== undefined && running.delete(pid)) killGroup(pid);
  };
  const finish = (outcome: Outcome): void => {
    clearTimeout(timer);
    const done = current;
    current = undefined;
    done?.finish(outcome);
  };
  /** Ends the environment. Its event or its start fails with the outcome. */
  const lose = (errorType: string, message: string): void => {
    if (ended) return;
    ended = true;
    kill();
    const outcome = functionError(errorType, `${current ? `RequestId: ${current.id} ` : ""}Error: ${message}`);
    options.onEnd();
    if (ready) finish(outcome);
    else options.onReady(outcome);
  };

  const read = (line: string): void => {
    if (ended) return;
    const reply = parse(line);
    if (reply === undefined || current === undefined || reply.id !== current.id) {
      options.onOutput(`not an answer: ${line.slice(0, 500)}\n`);
      lose("Runtime.InvalidAnswer", "Runtime gave something that is not an answer");
    } else if (reply.error !== undefined) finish(functionError(String(reply.error.type), String(reply.error.message)));
    else finish(resultOf(JSON.stringify(reply.answer ?? null)));
  };
  child.stdout.on(
    "data",
    lines(read, () => lose("Runtime.InvalidAnswer", "Runtime wrote a line that is too long")),
  );
  child.stderr.on("data", (chunk: Buffer) => options.onOutput(chunk.toString("utf8")));
  // The end of the process is reported as such.
  child.stdin.on("error", () => undefined);
  child.once("spawn", () => {
    ready = true;
    if (!ended) options.onReady(undefined);
  });
  child.once("error", (error) => lose("Runtime.ExitError", error.message));
  child.once("exit", (code, signal) => {
    lose("Runtime.ExitError", `Runtime exited with error: ${signal ? `signal: ${signal}` : `exit status ${code}`}`);
    kill();
  });

  return {
    run: (id, event, done) => {
      current = { id, finish: done };
      const { timeout } = options;
      timer = setTimeout(
        () => lose("Sandbox.Timedout", `Task timed out after ${(timeout / 1000).toFixed(2)} seconds`),
        timeout,
      );
      // The event is JSON: its line breaks are between tokens.
      const line = event.replaceAll(/[\r\n]+/g, " ");
      child.stdin.write(`{"id":${JSON.stringify(id)},"timeout_ms":${timeout},"event":${line}}\n`);
    },
    stop: async () => {
      ended = true;
      clearTimeout(timer);
      kill();
      if (pid !== undefined) await closed;
    },
  };
};

interface Reply {
  readonly id?: unknown;
  readonly answer?: unknown;
  readonly error?: { readonly type?: unknown; readonly message?: unknown };
}

const parse = (line: string): Reply | undefined => {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** Splits chunks into lines. */
const lines = (onLine: (line: string) => void, onTooLong: () => void) => {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk: Buffer): void => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      onLine(Buffer.concat([...parts, rest.subarray(0, end)]).toString("utf8"));
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    length += rest.length;
    if (length > longestLine) onTooLong();
    else if (rest.length > 0) parts.push(rest);
  };
};

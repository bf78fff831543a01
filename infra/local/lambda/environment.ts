import { Worker } from "node:worker_threads";

/** Data for the thread besides its environment variables. */
export interface WorkerSettings {
  readonly file: string;
  readonly exportName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memory: string;
  readonly logGroup: string;
  readonly logStream: string;
}

/** What an environment tells its pool. */
export interface EnvironmentHooks {
  /** Resolves when the handler is loaded, or when the environment has failed before that. */
  readonly onReady: (failure: Outcome | undefined) => void;
  /** Whether the environment has ended. */
  readonly onEnd: () => void;
}

export interface EnvironmentOptions extends EnvironmentHooks {
  readonly settings: WorkerSettings;
  readonly variables: Readonly<Record<string, string>>;
  /** MiB. */
  readonly memory: number;
  /** The time limit of one event in milliseconds. */
  readonly timeout: number;
  readonly onOutput: (text: string) => void;
}

/** The JSON of a result, or of a function error. */
export interface Outcome {
  readonly payload: string;
  readonly failed: boolean;
}

export interface Environment {
  /** Sends it one event. It must be ready and idle. */
  run(requestId: string, event: string, finish: (outcome: Outcome) => void): void;
  stop(): Promise<void>;
}

/**
 * Lambda restarts an initialization that takes longer, within the time of the event. Here it may continue for this
 * time.
 */
const initLimit = 10_000;
/** In bytes of the result's JSON. AWS states the number in the error. */
const largestPayload = 6_291_556;
const workerFile = new URL("./environment.worker.ts", import.meta.url);

export const functionError = (errorType: string, errorMessage: string): Outcome => ({
  payload: JSON.stringify({ errorType, errorMessage }),
  failed: true,
});

/** The outcome of a handler with this result. */
export const resultOf = (payload: string): Outcome => {
  if (
    payload.length <= largestPayload &&
    (payload.length < largestPayload / 3 || Buffer.byteLength(payload) <= largestPayload)
  ) {
    return { payload, failed: false };
  }
  return functionError(
    "Function.ResponseSizeTooLarge",
    `Response payload size exceeded maximum allowed payload size (${largestPayload} bytes).`,
  );
};

/** Starts one execution environment: a worker thread with its own variables, memory limit and handler. */
export const openEnvironment = (options: EnvironmentOptions): Environment => {
  const { settings, onOutput } = options;
  const compileCache = process.env.NODE_COMPILE_CACHE;
  const worker = new Worker(workerFile, {
    name: settings.functionName,
    workerData: settings,
    env: { ...options.variables, ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }) },
    argv: [],
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: options.memory, maxYoungGenerationSizeMb: 16 },
  });
  worker.stdout.on("data", (chunk: Buffer) => onOutput(chunk.toString("utf8")));
  worker.stderr.on("data", (chunk: Buffer) => onOutput(chunk.toString("utf8")));

  let ready = false;
  let ended = false;
  let current: { requestId: string; finish: (outcome: Outcome) => void } | undefined;
  let timer = setTimeout(
    () => lose(functionError("Sandbox.Timedout", "The init phase timed out")),
    initLimit + options.timeout,
  );

  const finish = (outcome: Outcome): void => {
    clearTimeout(timer);
    const done = current;
    current = undefined;
    done?.finish(outcome);
  };

  /** Ends the environment. Its event or its start fails with the outcome. */
  const lose = (outcome: Outcome): void => {
    if (ended) return;
    ended = true;
    void worker.terminate();
    options.onEnd();
    if (ready) finish(outcome);
    else {
      clearTimeout(timer);
      options.onReady(outcome);
    }
  };

  worker.on("message", (message: string) => {
    const kind = message[0];
    if (ended) return;
    if (kind === "R") finish(resultOf(message.slice(1)));
    else if (kind === "O" || kind === "W") onOutput(message.slice(1));
    else if (kind === "E") finish({ payload: message.slice(1), failed: true });
    else if (kind === "X") lose({ payload: message.slice(1), failed: true });
    else if (kind === "I") {
      clearTimeout(timer);
      ready = true;
      options.onReady(undefined);
    }
  });
  const prefix = (): string => (current === undefined ? "" : `RequestId: ${current.requestId} `);
  worker.on("error", (error: unknown) => {
    const outOfMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (outOfMemory) {
      return lose(functionError("Runtime.OutOfMemory", `${prefix()}Error: Runtime exited with error: signal: killed`));
    }
    const name = error instanceof Error ? error.name : "Runtime.Unknown";
    onOutput(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return lose(functionError(name, error instanceof Error ? error.message : String(error)));
  });
  worker.on("exit", (code) => {
    const how = code === 0 ? "without providing a reason" : `with error: exit status ${code}`;
    lose(functionError("Runtime.ExitError", `${prefix()}Error: Runtime exited ${how}`));
  });

  return {
    run: (requestId, event, done) => {
      current = { requestId, finish: done };
      const seconds = (options.timeout / 1000).toFixed(2);
      timer = setTimeout(() => {
        lose(
          functionError("Sandbox.Timedout", `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`),
        );
      }, options.timeout);
      worker.postMessage(`${requestId}\n${Date.now() + options.timeout}\n${event}`);
    },
    stop: async () => {
      ended = true;
      clearTimeout(timer);
      await worker.terminate();
    },
  };
};

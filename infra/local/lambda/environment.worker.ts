/**
 * The inside of one execution environment: a worker thread that loads a handler once and then answers one event at a
 * time. Messages are plain strings, the cheapest thing to post: the first character says what follows.
 *   in:  request id, deadline (ms since the epoch), event; separated by newlines
 *   out: I ready · X init failed · R result · E function error · O standard output · W standard error
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { WorkerSettings } from "./environment.ts";

type Handler = (event: unknown, context: object) => unknown;

const port = parentPort;
if (port === null) throw new Error("This module runs in a worker thread.");
const settings: WorkerSettings = workerData;
// Used for the thread's own start only. A real environment does not have it.
delete process.env.NODE_COMPILE_CACHE;

const captureOutput = (): void => {
  const forward = (kind: string, chunk: unknown): number => {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString("utf8");
    port.postMessage(kind + text);
    return Buffer.byteLength(text);
  };
  for (const [stream, kind] of [
    [process.stdout, "O"],
    [process.stderr, "W"],
  ] as const) {
    stream.write = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      forward(kind, chunk);
      const callback = typeof encoding === "function" ? encoding : done;
      if (typeof callback === "function") queueMicrotask(() => callback());
      return true;
    };
  }
  // Loggers write to file descriptors directly, and in a thread those belong to the process.
  const { writeSync, write } = fs;
  const kindOf = (descriptor: number): string | undefined =>
    descriptor === 1 ? "O" : descriptor === 2 ? "W" : undefined;
  fs.writeSync = ((descriptor: number, data: unknown, ...rest: unknown[]): number => {
    const kind = kindOf(descriptor);
    return kind === undefined ? Reflect.apply(writeSync, fs, [descriptor, data, ...rest]) : forward(kind, data);
  }) as typeof fs.writeSync;
  fs.write = ((descriptor: number, data: unknown, ...rest: unknown[]): void => {
    const kind = kindOf(descriptor);
    if (kind === undefined) return void Reflect.apply(write, fs, [descriptor, data, ...rest]);
    const size = forward(kind, data);
    const callback = rest.at(-1);
    if (typeof callback === "function") queueMicrotask(() => callback(null, size, data));
  }) as typeof fs.write;
  syncBuiltinESMExports();
};

const describe = (error: unknown): string => {
  if (!(error instanceof Error))
    return JSON.stringify({ errorType: typeof error, errorMessage: String(error), trace: [] });
  return JSON.stringify({ errorType: error.name, errorMessage: error.message, trace: error.stack?.split("\n") ?? [] });
};

const failed = (errorType: string, errorMessage: string): Error =>
  Object.assign(new Error(errorMessage), { name: errorType });

const load = async (): Promise<Handler> => {
  const { file, exportName } = settings;
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    throw missing ? failed("Runtime.ImportModuleError", error.message) : error;
  }
  const handler = module[exportName];
  if (typeof handler !== "function") {
    throw failed("Runtime.HandlerNotFound", `index.${exportName} is undefined or not exported`);
  }
  if (handler.length > 2) {
    throw failed("Runtime.CallbackHandlerDeprecated", "Node.js 24 does not support callback-based function handlers");
  }
  return (event, context) => Reflect.apply(handler, undefined, [event, context]);
};

const serve = (handler: Handler): void => {
  port.on("message", async (message: string) => {
    const first = message.indexOf("\n");
    const second = message.indexOf("\n", first + 1);
    const deadline = Number(message.slice(first + 1, second));
    try {
      const result = await handler(JSON.parse(message.slice(second + 1)), {
        callbackWaitsForEmptyEventLoop: true,
        functionName: settings.functionName,
        functionVersion: "$LATEST",
        memoryLimitInMB: settings.memory,
        invokedFunctionArn: settings.functionArn,
        logGroupName: settings.logGroup,
        logStreamName: settings.logStream,
        awsRequestId: message.slice(0, first),
        getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
      });
      port.postMessage(`R${JSON.stringify(result) ?? "null"}`);
    } catch (error) {
      port.postMessage(`E${describe(error)}`);
    }
  });
};

captureOutput();
try {
  serve(await load());
  port.postMessage("I");
} catch (error) {
  port.postMessage(`X${describe(error)}`);
}

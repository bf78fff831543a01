import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Platform, PlatformOptions } from "./local/platform.ts";
import type { PlatformLog } from "./local/services.ts";
import { stopOnSignal } from "./stop-on-signal.ts";

export type { Platform };

/** The platform, and what it was made of. */
export interface Launched extends Platform {
  /** Changes with the code of the migrations, which have every standard object. */
  readonly migrationsHash: string;
}

const root = dirname(import.meta.dirname);

/** The options of a start. */
export interface LaunchOptions
  extends Partial<
    Pick<
      PlatformOptions,
      | "dataDir"
      | "port"
      | "log"
      | "verbose"
      | "reset"
      | "mongoUri"
      | "clusters"
      | "vendors"
      | "clock"
      | "closed"
      | "signal"
      | "onFailure"
    >
  > {
  /** Overrides the context of cdk.json; the stage is `local`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Nothing is opened before it resolves. Its failure is the launch's. */
  readonly requirements?: Promise<void>;
}

/**
 * Bundles, synthesizes and runs the whole platform on this machine. Resolves when it answers requests. @throws Refusal
 * with one sentence if the port, the data or the templates do not allow it
 */
export const launch = async ({ context, requirements, ...options }: LaunchOptions = {}): Promise<Launched> => {
  const compiled = join(root, "node_modules", ".cache", "tenantry-compiled");
  enableCompileCache(compiled);
  // Execution environments (threads) and the database process then share the compile cache.
  process.env.NODE_COMPILE_CACHE = compiled;
  // Lambda's time zone.
  process.env.TZ = "UTC";
  const bundling = import("./bundle.ts").then(({ bundleFunctions }) => bundleFunctions());
  // Awaited after the data directory is open.
  bundling.catch(() => undefined);
  const [{ startPlatform }] = await Promise.all([import("./local/platform.ts"), requirements]);
  const platform = await startPlatform({
    ...options,
    templates: async () => {
      // The CDK is loaded while esbuild and the database process work.
      const { synthesizeTemplates } = await import("./templates.ts");
      return synthesizeTemplates(await bundling, { withoutVendor: "capture", ...context, stage: "local" });
    },
    dataDir: options.dataDir ?? join(root, ".tenantry"),
    port: options.port ?? 0,
  });
  return { ...platform, migrationsHash: (await bundling).get("functions/operations/migrate.ts")?.hash ?? "" };
};

/** Runs when the platform answers. Gives lines to print. */
export type OnReady = (platform: Launched) => Promise<readonly string[]>;

/**
 * `npm start`: runs the platform until it is told to stop, then ends the process. Requests are refused until `onReady`
 * has resolved.
 */
export const start = async (onReady: OnReady): Promise<void> => {
  const began = performance.now();
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  const { parent, ...options } = readOptions();
  const { MONGODB_URI: mongoUri } = process.env;
  let quiet = true;
  const told = new AbortController();
  const starting = launch({
    ...options,
    closed: true,
    signal: told.signal,
    onFailure: (sentence) => {
      process.stderr.write(`${sentence}\n`);
      starting.then((platform) => platform.stop()).finally(() => process.exit(1));
    },
    ...(mongoUri && { mongoUri }),
    requirements: requirePython(),
    log: (entry) => {
      // Requests before the start message come from the platform's own set-up.
      if (!quiet || options.verbose || entry.kind === "dropped") printLog(entry, print);
    },
  });
  stopOnSignal({ stop: () => stopStarted(starting, told), parent, print });
  try {
    const platform = await starting;
    const ready = performance.now() - began;
    const lines = await onReady(platform);
    platform.open();
    quiet = false;
    print(`Tenantry answers at ${platform.url} (started in ${(ready / 1000).toFixed(1)} s)`);
    print(`Data is kept in ${mongoUri ? "your MongoDB, keys and secrets in " : ""}${platform.dataDir}`);
    if (options.verbose) print(`The AWS services answer at ${platform.awsEndpoint}`);
    for (const line of lines) print(line);
  } catch (error) {
    // An interruption by the stop is not reported.
    if (await isToldToStop(told)) return;
    await stopStarted(starting, told);
    throw error;
  }
};

/**
 * A signal to the process group also ends children, such as the bundler, possibly before this process handles its own.
 */
export const isToldToStop = async ({ signal }: AbortController): Promise<boolean> => {
  await setTimeout(50);
  return signal.aborted;
};

/** Stops what has been started so far. */
export const stopStarted = async (starting: Promise<Platform>, told: AbortController): Promise<void> => {
  told.abort();
  await (await starting.catch(() => undefined))?.stop();
};

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      reset: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      // Lets tenants' functions send requests to this machine, for development of integrations.
      loopback: { type: "boolean", default: false },
      port: { type: "string", default: process.env.PORT ?? "3000" },
      // The process id of npm, from `npm start`. The platform ends with it.
      parent: { type: "string" },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw refusal(`${values.port} is not a port.`);
  const { DATA_DIR: dataDir, VENDORS_FILE: vendorsFile } = process.env;
  const vendors = vendorsFile ? { vendors: readVendors(vendorsFile) } : {};
  const parent = values.parent === undefined ? undefined : Number(values.parent);
  const reach = values.loopback ? { outboundHttp: true, outboundLoopback: true } : {};
  const context = { localExecutions: "everywhere", ...reach };
  return {
    reset: values.reset,
    verbose: values.verbose,
    context,
    port,
    parent,
    ...vendors,
    ...(dataDir && { dataDir }),
  };
};

/** The platform's own accounts at vendors. */
const readVendors = (file: string): object => {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // The error of JSON.parse quotes the text.
  }
  throw refusal(`VENDORS_FILE names ${file}, which is no file with a JSON object.`);
};

/** An error to print as one sentence. The runtime's own errors have the same name. */
const refusal = (sentence: string): Error => Object.assign(new Error(sentence), { name: "Refusal" });

/** Tenants' functions are Python. Asked at once, so that nothing is begun without it. */
const requirePython = async (): Promise<void> => {
  const { pythonInterpreter } = await import("./local/lambda/python.ts");
  await pythonInterpreter();
};

/** One JSON line for each request. Handlers' own lines are written unchanged. */
const printLog = (entry: PlatformLog, print: (line: string) => void): void => {
  const time = new Date().toISOString();
  if (entry.kind === "output") print(entry.line);
  else if (entry.kind === "mail") {
    const { to, subject, file } = entry;
    print(JSON.stringify({ time, message: "mail", to, subject, file }));
  } else if (entry.kind === "dropped") {
    print(
      JSON.stringify({
        time,
        level: "error",
        function: entry.function,
        request_id: entry.requestId,
        message: entry.reason,
      }),
    );
  } else {
    const { method, path, route, status, milliseconds: ms, organization, requestId: request_id, problem } = entry;
    // The route's key, which has no ids. Requests without a route have their path.
    const asked = route === undefined || route === "$default" ? { path } : { route: route.split(" ")[1] };
    print(JSON.stringify({ time, method, ...asked, status, ms, organization, request_id, problem }));
  }
};

/** Prints why the platform cannot start: one sentence, or the stack if it is a bug. */
export const explain = (error: unknown): void => {
  const known = error instanceof Error && (error.name === "Refusal" || "code" in error);
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
};

if (import.meta.main) {
  const { welcome } = await import("./demo/welcome.ts");
  // Not awaited, because a signal may end the process while the demo's data are being written.
  start(welcome).catch((error: unknown) => {
    explain(error);
    process.exit(1);
  });
}

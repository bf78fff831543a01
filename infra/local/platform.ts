import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { startingGate } from "./apigateway/gate.ts";
import { type Clock, systemClock } from "./clock.ts";
import { openDataDirectory } from "./data/directory.ts";
import { privateFiles } from "./data/private-files.ts";
import { type Credentials, keyring } from "./iam/credentials.ts";
import { iam } from "./iam/service.ts";
import type { EnvironmentLimits } from "./lambda/service.ts";
import { Refusal } from "./refusal.ts";
import { closeServer, listen } from "./sdk/listen.ts";
import { type BeforeCall, sdkServer } from "./sdk/server.ts";
import { openServices, type PlatformLog } from "./services.ts";
import { type Shutdown, shutdown } from "./shutdown.ts";
import { interpretTemplates } from "./template/interpret.ts";

type Templates = ReadonlyMap<string, unknown>;

export interface PlatformOptions {
  /** Stack name → synthesized template; a function is asked for them once the database is on its way. */
  readonly templates: Templates | (() => Promise<Templates>);
  readonly dataDir: string;
  /** Of the HTTP API; 0 takes a free one. */
  readonly port: number;
  readonly clock?: Clock;
  readonly log?: (entry: PlatformLog) => void;
  /** Also logs what the handlers write. */
  readonly verbose?: boolean;
  /** Forgets everything kept in `dataDir` first. */
  readonly reset?: boolean;
  /** A MongoDB to use; without it the embedded database runs, with its data under `dataDir`. */
  readonly mongoUri?: string;
  /** Further clusters by name, besides `default`. */
  readonly clusters?: Readonly<Record<string, string>>;
  readonly beforeCall?: BeforeCall;
  /** In place of the ordinary limits. */
  readonly environments?: EnvironmentLimits;
  /** The HTTP API answers 503 `starting` until it is opened, to all but requests with the platform's `key`. */
  readonly closed?: boolean;
  /** Ends the start; what runs is stopped by `stop`. */
  readonly signal?: AbortSignal;
  /** What the platform cannot go on without has ended by itself; the sentence says what. */
  readonly onFailure?: (sentence: string) => void;
}

export interface Platform {
  /** Base URL of the HTTP API, without a slash at its end. */
  readonly url: string;
  /** Where the AWS SDK reaches the local services. */
  readonly awsEndpoint: string;
  /** Keys that may do everything, as an operator's. */
  readonly credentials: Credentials;
  readonly mongoUri: string;
  readonly dataDir: string;
  /** Headers that let a request pass before the opening. */
  readonly key: Readonly<Record<string, string>>;
  /** Opens the HTTP API to everybody, if it was started closed. */
  open(): void;
  /** The last lines that a function wrote. */
  logs(functionName: string): readonly string[];
  /** How many execution environments a function has just now. */
  environments(functionName: string): number;
  /** Answers what was asked, then stops everything that was started: within two seconds, whatever is still at work. */
  stop(): Promise<void>;
}

/**
 * Runs the synthesized templates on this machine.
 * @throws Refusal with one sentence when they, the port or the data directory do not allow it
 */
export const startPlatform = async (options: PlatformOptions): Promise<Platform> => {
  const opened = shutdown();
  const { signal } = options;
  try {
    if (signal === undefined) return await open(options, opened);
    if (signal.aborted) return endOfStart();
    return await Promise.race([open(options, opened), once(signal, "abort").then(endOfStart)]);
  } catch (error) {
    await opened.close();
    throw error;
  }
};

const endOfStart = (): never => {
  throw new Refusal("The platform was told to stop.");
};

const open = async (options: PlatformOptions, opened: Shutdown): Promise<Platform> => {
  const { clock = systemClock, log = () => undefined } = options;
  const keys = keyring();
  const access = iam();

  const gate = startingGate();
  // The gateway's own bound on headers is lower, and answers with a body; Node's would hang up without one.
  const front = createServer({ keepAliveTimeout: 65_000, maxHeaderSize: 128 * 1024 }, gate.listener);
  const port = await listen(front, options.port);
  opened.on("front", () => closeServer(front, requestPatience));
  const url = `http://127.0.0.1:${port}`;
  const { beforeCall } = options;
  const sdk = await sdkServer({ keys, authority: access.authority, ...(beforeCall && { beforeCall }) });
  opened.on("sdk", sdk.stop);

  const { dataDir, reset = false } = options;
  const data = await openDataDirectory(dataDir, { port: Number(new URL(sdk.url).port), reset });
  opened.on("data", data.release);
  const { mongoUri: given, templates } = options;
  const database = given === undefined ? await embeddedDatabase(data.directory, options, opened) : { ready: given };
  const [synthesized, mongoUri] = await Promise.all([
    typeof templates === "function" ? templates() : templates,
    database.ready,
  ]);
  const { services, functions, gateway, parameters } = openServices({
    verbose: options.verbose ?? false,
    clock,
    keys,
    access,
    files: privateFiles(data.directory),
    mailDirectory: join(data.directory, "mail"),
    url,
    sdkUrl: sdk.url,
    environments: options.environments,
    clusters: { default: mongoUri, ...options.clusters },
    log,
  });
  for (const { endpoint, stop } of services) {
    if (endpoint !== undefined) sdk.add(endpoint);
    if (stop !== undefined) opened.on("services", stop);
  }
  const creators = new Map(services.flatMap((service) => Object.entries(service.resources)));
  const stacks = [...synthesized].map(([stack, template]) => ({ stack, template }));
  interpretTemplates(stacks, { creators, parameter: parameters.value });
  for (const service of services) await service.start?.();
  gate.lead(gateway.listener);
  if (!options.closed) gate.open();

  return {
    url,
    awsEndpoint: sdk.url,
    credentials: keys.issue({ kind: "operator" }),
    mongoUri,
    dataDir: data.directory,
    key: gate.key,
    open: gate.open,
    logs: functions.functions.logs,
    environments: (name) => functions.functions.find(name)?.environments() ?? 0,
    stop: opened.close,
  };
};

/** Milliseconds that a stop waits for requests, and then for the database; together less than two seconds. */
const requestPatience = 700;
const databasePatience = 600;

/**
 * Starts the embedded database, a process of its own; `ready` gives its URI. What stops it is nearly always its data,
 * so its message is a sentence for people.
 */
const embeddedDatabase = async (
  directory: string,
  { onFailure }: PlatformOptions,
  opened: Shutdown,
): Promise<{ ready: Promise<string> }> => {
  const { openEmbeddedMongo } = await import("./mongo/start.ts");
  const database = openEmbeddedMongo({ dataDir: `${directory}/mongo` });
  let stopping = false;
  opened.on("database", () => {
    stopping = true;
    return database.stop(databasePatience);
  });
  const ready = database.ready.then(
    ({ uri }) => uri,
    (error: unknown) => {
      throw new Refusal(error instanceof Error ? error.message : String(error));
    },
  );
  const watch = async (): Promise<void> => {
    await ready;
    const last = await database.ended;
    if (!stopping) onFailure?.(last || "The embedded database has ended.");
  };
  // A start that fails is told by `ready`.
  watch().catch(() => undefined);
  return { ready };
};

import { once } from "node:events";
import { createServer } from "node:http";
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
  /** Stack name → synthesized template. A function, called when the database is being started. */
  readonly templates: Templates | (() => Promise<Templates>);
  readonly dataDir: string;
  /** The HTTP API's port; 0 for a free one. */
  readonly port: number;
  readonly clock?: Clock;
  readonly log?: (entry: PlatformLog) => void;
  /** Also logs what the handlers write. */
  readonly verbose?: boolean;
  /** Deletes the contents of `dataDir` first. */
  readonly reset?: boolean;
  /** The URI of a MongoDB. Without it the embedded database runs, with its data under `dataDir`. */
  readonly mongoUri?: string;
  /** Further clusters by name, besides `default`. */
  readonly clusters?: Readonly<Record<string, string>>;
  /** The platform's own accounts at vendors: the value of their secret, `{}` by default. */
  readonly vendors?: object;
  readonly beforeCall?: BeforeCall;
  /** Overrides the default limits. */
  readonly environments?: EnvironmentLimits;
  /** Whether the HTTP API answers 503 `starting` until it is opened, except to requests with the platform's `key`. */
  readonly closed?: boolean;
  /** Aborts the start. What runs already is stopped by `stop`. */
  readonly signal?: AbortSignal;
  /** Called if the database process ends by itself, with a message. */
  readonly onFailure?: (sentence: string) => void;
}

export interface Platform {
  /** The base URL of the HTTP API, without a trailing slash. */
  readonly url: string;
  /** The address of the local services for the AWS SDK. */
  readonly awsEndpoint: string;
  /** An operator's access keys, which allow everything. */
  readonly credentials: Credentials;
  readonly mongoUri: string;
  readonly dataDir: string;
  /** Headers that admit a request before the opening. */
  readonly key: Readonly<Record<string, string>>;
  /** Opens the HTTP API, if it was started closed. */
  open(): void;
  /** Starts the consumers of queues and schedules before the opening, if nothing of theirs calls the HTTP API. */
  beginWork(): void;
  /** The last log lines of a function. */
  logs(functionName: string): readonly string[];
  /** The current number of execution environments of a function. */
  environments(functionName: string): number;
  /** Finishes running requests, then stops everything, within two seconds. */
  stop(): Promise<void>;
}

/**
 * Runs the synthesized templates on this machine. @throws Refusal with one sentence if the templates, the port or the
 * data directory do not allow it
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
  // The gateway's own limit on headers is lower and has a response body. Node would close the connection without one.
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
    directory: data.directory,
    url,
    sdkUrl: sdk.url,
    environments: options.environments,
    clusters: { default: mongoUri, ...options.clusters },
    vendors: options.vendors && JSON.stringify(options.vendors),
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
  let hasBegun = false;
  const beginWork = (): void => {
    if (hasBegun) return;
    hasBegun = true;
    for (const service of services) service.opened?.();
  };
  const openGate = (): void => {
    gate.open();
    beginWork();
  };
  if (!options.closed) openGate();

  return {
    url,
    awsEndpoint: sdk.url,
    credentials: keys.issue({ kind: "operator" }),
    mongoUri,
    dataDir: data.directory,
    key: gate.key,
    open: openGate,
    beginWork,
    logs: functions.functions.logs,
    environments: (name) => functions.functions.find(name)?.environments() ?? 0,
    stop: opened.close,
  };
};

/** Milliseconds that a stop waits for requests, and then for the database; together less than two seconds. */
const requestPatience = 700;
const databasePatience = 600;

/**
 * Starts the embedded database as a process; `ready` gives its URI. It nearly always fails because of its data, so its
 * message is a sentence for people.
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
  // `ready` reports a failed start.
  watch().catch(() => undefined);
  return { ready };
};

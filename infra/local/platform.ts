import { createServer } from "node:http";
import { apiGateway } from "./apigateway/service.ts";
import type { RequestLog } from "./apigateway/front-door.ts";
import { type Clock, systemClock } from "./clock.ts";
import { openDataDirectory } from "./data/directory.ts";
import { privateFiles } from "./data/private-files.ts";
import { type Credentials, keyring } from "./iam/credentials.ts";
import { iam } from "./iam/service.ts";
import { kms } from "./kms/service.ts";
import { lambda } from "./lambda/service.ts";
import { closeServer, listen } from "./sdk/listen.ts";
import { sdkServer } from "./sdk/server.ts";
import { secretsManager } from "./secretsmanager/service.ts";
import type { CreateResource, Service } from "./service.ts";
import { ssm } from "./ssm/service.ts";
import { interpretTemplates } from "./template/interpret.ts";
import { unattended } from "./unattended/service.ts";

type Templates = ReadonlyMap<string, unknown>;

/** What happened, for whoever watches the platform. */
export type PlatformLog =
  | ({ readonly kind: "request" } & RequestLog)
  | { readonly kind: "output"; readonly function: string; readonly line: string }
  | { readonly kind: "dropped"; readonly function: string; readonly requestId: string; readonly reason: string };

export interface PlatformOptions {
  /** Stack name → synthesized template; may still be in the making while the rest starts. */
  readonly templates: Templates | Promise<Templates>;
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
  /** The last lines that a function wrote. */
  logs(functionName: string): readonly string[];
  /** How many execution environments a function has just now. */
  environments(functionName: string): number;
  /** Answers what was asked, then stops everything that was started. */
  stop(): Promise<void>;
}

/** The services of the SDK and the suffix of the variable that tells it where they are. */
const endpointSuffixes: Readonly<Record<string, string>> = {
  kms: "KMS",
  lambda: "LAMBDA",
  secretsmanager: "SECRETS_MANAGER",
  ssm: "SSM",
};

/**
 * Runs the synthesized templates on this machine.
 * @throws Refusal with one sentence when they, the port or the data directory do not allow it
 */
export const startPlatform = async (options: PlatformOptions): Promise<Platform> => {
  // Whatever is open when the start fails is closed again, last things first.
  const opened: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  const templates = Promise.resolve(options.templates);
  templates.catch(() => undefined);
  try {
    return await open(options, templates, opened, close);
  } catch (error) {
    await close();
    throw error;
  }
};

const open = async (
  options: PlatformOptions,
  templates: Promise<Templates>,
  opened: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Platform> => {
  const { clock = systemClock, log = () => undefined, verbose = false } = options;
  const keys = keyring();
  const access = iam();
  const { authority } = access;

  const sdk = await sdkServer({ keys, authority });
  opened.push(sdk.stop);
  let answer: Parameters<typeof createServer>[1];
  const front = createServer({ keepAliveTimeout: 65_000 }, (request, response) => answer?.(request, response));
  const port = await listen(front, options.port);
  opened.push(() => closeServer(front));
  const url = `http://127.0.0.1:${port}`;

  const data = await openDataDirectory(options.dataDir, {
    port: Number(new URL(sdk.url).port),
    ...(options.reset !== undefined && { reset: options.reset }),
  });
  opened.unshift(data.release);
  const files = privateFiles(data.directory);
  const database = options.mongoUri === undefined ? await embeddedDatabase(data.directory) : { uri: options.mongoUri };
  if ("stop" in database) opened.splice(1, 0, database.stop);

  const clusters = JSON.stringify({ default: database.uri, ...options.clusters });
  const parameters = ssm(clock);
  const functions = lambda({
    clock,
    keys,
    authority,
    endpointVariables: () =>
      Object.fromEntries(Object.values(endpointSuffixes).map((suffix) => [`AWS_ENDPOINT_URL_${suffix}`, sdk.url])),
    onOutput: (name, line) => {
      if (verbose) log({ kind: "output", function: name, line });
    },
    onDropped: (name, requestId, reason) => log({ kind: "dropped", function: name, requestId, reason }),
  });
  const gateway = apiGateway({
    clock,
    functions: functions.functions,
    url,
    onRequest: (entry) => log({ kind: "request", ...entry }),
  });
  answer = gateway.listener;
  const services: readonly Service[] = [
    access,
    unattended(),
    parameters,
    // The one secret whose value is not the template's to give: where the databases are.
    secretsManager({ clock, files, given: (name) => (name.endsWith("/mongodb") ? clusters : undefined) }),
    kms({ clock, files, authority }),
    functions,
    gateway,
  ];
  for (const { endpoint, stop } of services) {
    if (endpoint !== undefined) sdk.add(endpoint);
    // Requests are answered to their end first: the servers close before the services.
    if (stop !== undefined) opened.splice("stop" in database ? 2 : 1, 0, stop);
  }
  interpretTemplates(
    [...(await templates)].map(([stack, template]) => ({ stack, template })),
    { creators: creatorsOf(services), parameter: parameters.value },
  );
  for (const service of services) await service.start?.();

  return {
    url,
    awsEndpoint: sdk.url,
    credentials: keys.issue({ kind: "operator" }),
    mongoUri: database.uri,
    dataDir: data.directory,
    logs: functions.functions.logs,
    environments: (name) => functions.functions.find(name)?.environments() ?? 0,
    stop: close,
  };
};

const creatorsOf = (services: readonly Service[]): ReadonlyMap<string, CreateResource> =>
  new Map(services.flatMap((service) => Object.entries(service.resources)));

const embeddedDatabase = async (directory: string): Promise<{ uri: string; stop: () => Promise<void> }> => {
  const { startEmbeddedMongo } = await import("./mongo/start.ts");
  return startEmbeddedMongo({ dataDir: `${directory}/mongo` });
};

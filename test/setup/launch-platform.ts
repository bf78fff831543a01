import { join } from "node:path";
import { type Bundle, bundleFunctions } from "../../infra/bundle.ts";
import { startEmbeddedMongo } from "../../infra/local/mongo/start.ts";
import { type Platform, type PlatformOptions, startPlatform } from "../../infra/local/platform.ts";
import { TEST_STAGE } from "../../infra/stacks/settings.ts";
import { synthesizeTemplates, type Template } from "../../infra/templates.ts";
import { startDns } from "../vendors/dns.ts";

export interface LaunchOptions {
  readonly dataDir: string;
  /** Names of additional clusters, each an embedded database. */
  readonly extraClusters?: readonly string[];
  /** Cheap password hashes, in the one stage that allows them; otherwise production's. */
  readonly passwordHashes?: "weak";
  /** Already compiled functions. */
  readonly bundles?: LaunchedPlatform["access"]["bundles"];
  /** Overrides of cdk.json's context. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Whether the recurring jobs wait for a test to invoke them, so that a job is never faster than the test. */
  readonly pausesJobs?: boolean;
  /** Additional stacks: name → template. */
  readonly extraTemplates?: ReadonlyMap<string, Template>;
  /** A running MongoDB; by default the environment's `MONGODB_URI`, else an embedded one. */
  readonly mongoUri?: string;
  readonly log?: PlatformOptions["log"];
  readonly environments?: PlatformOptions["environments"];
  /** The platform's own accounts at vendors; none by default. */
  readonly vendors?: PlatformOptions["vendors"];
  /** Of the local services; handlers use real time. */
  readonly clock?: PlatformOptions["clock"];
  /** Makes an AWS service slow, or makes it fail. */
  readonly beforeCall?: PlatformOptions["beforeCall"];
}

export interface LaunchedPlatform {
  /** Plain data with which another process can use the platform. */
  readonly access: {
    readonly url: string;
    readonly stage: string;
    readonly awsEndpoint: string;
    readonly region: string;
    readonly credentials: {
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string;
    };
    readonly mongoUri: string;
    /** The folder of sent mails. */
    readonly mailDirectory: string;
    /** The folder of the DNS server's names: test/vendors/dns.ts. */
    readonly zone: string;
    /** Cluster → URI, without `default`. */
    readonly clusters: Readonly<Record<string, string>>;
    /** Handler path → bundle, for another launch. */
    readonly bundles: readonly (readonly [string, Bundle])[];
  };
  readonly platform: Platform;
  stop(): Promise<void>;
}

/** Lets tests play the other system of an integration. Messages without a vendor are kept, as with `npm start`. */
const outbound = { outboundHttp: true, outboundLoopback: true, withoutVendor: "capture" };

interface Resource {
  readonly Type: string;
  readonly Properties?: object;
}

const withPausedJobs = (template: Template): Template => {
  const resources = Object.entries(template.Resources as Readonly<Record<string, Resource>>).map(
    ([id, resource]): [string, Resource] =>
      resource.Type === "AWS::Scheduler::Schedule"
        ? [id, { ...resource, Properties: { ...resource.Properties, State: "DISABLED" } }]
        : [id, resource],
  );
  return { ...template, Resources: Object.fromEntries(resources) };
};

/** The whole platform as in `npm start`, on a free port. `MONGODB_URI` selects a real MongoDB. */
export const launchPlatform = async (options: LaunchOptions): Promise<LaunchedPlatform> => {
  const { dataDir, extraClusters = [], context = {}, extraTemplates = new Map() } = options;
  const { passwordHashes } = options;
  const stage = passwordHashes === "weak" ? TEST_STAGE : "test";
  const bundles = options.bundles ?? [...(await bundleFunctions())];
  const zone = join(dataDir, "zone");
  const dns = await startDns(zone);
  const own = synthesizeTemplates(new Map(bundles), {
    stage,
    passwordHashes,
    dnsServers: dns.server,
    ...outbound,
    ...context,
  });
  const templates = new Map([...own, ...extraTemplates]);
  const databases = await Promise.all(
    extraClusters.map(
      async (name) => [name, await startEmbeddedMongo({ dataDir: join(dataDir, `cluster-${name}`) })] as const,
    ),
  );
  const clusters = Object.fromEntries(databases.map(([name, { uri }]) => [name, uri]));
  const mongoUri = options.mongoUri ?? process.env.MONGODB_URI;
  const platform = await startPlatform({
    templates: options.pausesJobs
      ? new Map([...templates].map(([name, one]) => [name, withPausedJobs(one)]))
      : templates,
    dataDir: join(dataDir, "platform"),
    port: 0,
    clusters,
    ...(options.log ? { log: options.log } : {}),
    ...(options.environments ? { environments: options.environments } : {}),
    ...(options.vendors ? { vendors: options.vendors } : {}),
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.beforeCall ? { beforeCall: options.beforeCall } : {}),
    ...(mongoUri ? { mongoUri } : {}),
  });
  return {
    access: {
      url: platform.url,
      stage,
      awsEndpoint: platform.awsEndpoint,
      region: "us-east-1",
      credentials: { ...platform.credentials },
      mongoUri: platform.mongoUri,
      mailDirectory: join(platform.dataDir, "mail"),
      zone,
      clusters,
      bundles,
    },
    platform,
    stop: async () => {
      await platform.stop();
      await dns.stop();
      await Promise.all(databases.map(([, database]) => database.stop()));
    },
  };
};

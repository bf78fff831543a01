import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedMongo } from "../../infra/local/mongo/start.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { benchAccess } from "./access.ts";
import { bareStack } from "./bare-stack.ts";
import { benchBoot } from "./boot.ts";
import { benchBundles } from "./bundles.ts";
import { benchDatabase } from "./database.ts";
import { benchFairness } from "./fairness.ts";
import { benchFunctions } from "./functions.ts";
import { benchIdentity } from "./identity.ts";
import { benchMessages } from "./messages.ts";
import { benchMigrations } from "./migrations.ts";
import { benchModel } from "./model.ts";
import { prepareOrganization } from "./prepare.ts";
import { benchPresence } from "./presence.ts";
import { benchQueries } from "./queries.ts";
import { benchQueryCache } from "./query-cache.ts";
import { benchQueues } from "./queues.ts";
import { benchRequests, QUERY_PIPELINE } from "./requests.ts";
import { benchRunner } from "./runner.ts";
import { benchSandboxes } from "./sandboxes.ts";
import { benchSchedules } from "./schedules.ts";
import { benchTemplates } from "./templates.ts";
import { benchTokens } from "./tokens.ts";
import { benchTriggers } from "./triggers.ts";
import { benchWrapper } from "./wrapper.ts";
import { benchWriters } from "./writers.ts";

/** Prints ratios and rates, all measured in this run. `npm run bench -- boot` runs only the named parts. */
const wanted = process.argv.slice(2);
const want = (part: string): boolean => wanted.length === 0 || wanted.includes(part);

const directory = await mkdtemp(join(tmpdir(), "tenantry-bench-"));
try {
  if (want("boot")) await benchBoot(directory);
  if (want("bundles")) await benchBundles();
  if (want("wrapper")) await benchWrapper();
  if (want("functions")) await benchRunner();
  const database = await startEmbeddedMongo({ dataDir: join(directory, "database") });
  if (want("database")) await benchDatabase(database.uri);
  if (want("queries")) await benchQueries(database.uri);
  if (want("model")) await benchModel(database.uri);
  /** Runs the benchmarks of one platform. `extra` is the template of bare handlers behind the same gateway. */
  const onPlatform = async (
    name: string,
    extra: unknown,
    work: (access: LaunchedPlatform["access"]) => Promise<void>,
  ): Promise<void> => {
    const launched = await launchPlatform({
      dataDir: join(directory, name),
      mongoUri: database.uri,
      // The gateway's throttle is not measured here.
      context: { throttlingRate: 10_000, throttlingBurst: 10_000 },
      extraTemplates: extra === null ? new Map() : new Map([["bench", extra]]),
    });
    await work(launched.access);
    await launched.stop();
  };
  const apiParameter = "/tenantry/test/api-id";
  const source = (name: string): string => join(import.meta.dirname, "handlers", `${name}.ts`);
  const environment = { MONGODB_URI: database.uri };
  if (want("requests") || want("query-cache")) {
    const routeKey = (path: string): string => `GET /bench/{organization}/${path}`;
    const pipeline = { ...environment, PIPELINE: JSON.stringify(QUERY_PIPELINE) };
    const handlers = [
      { name: "record", routeKey: routeKey("record/{id}"), source: source("bare-record"), environment },
      { name: "query", routeKey: routeKey("query"), source: source("bare-query"), environment: pipeline },
    ];
    const bare = await bareStack(directory, handlers, apiParameter);
    await onPlatform("platform", bare, async (access) => {
      const prepared = await prepareOrganization(access);
      if (want("requests")) await benchRequests(access, prepared);
      if (want("query-cache")) await benchQueryCache(access, prepared);
    });
  }
  if (want("presence")) {
    const routeKey = "GET /bench/{organization}/presence";
    const handlers = [{ name: "presence", routeKey, source: source("bare-presence"), environment }];
    const bare = await bareStack(directory, handlers, apiParameter);
    await onPlatform("presence-platform", bare, benchPresence);
  }
  if (want("access")) await onPlatform("access", null, benchAccess);
  if (want("sandboxes")) {
    const launched = await launchPlatform({ dataDir: join(directory, "sandboxes") });
    await benchSandboxes(launched.access);
    await launched.stop();
  }
  if (want("migrations")) {
    // Its thousands of organizations would slow the database of the others down.
    const launched = await launchPlatform({ dataDir: join(directory, "migrations") });
    await benchMigrations(launched.access);
    await launched.stop();
  }
  if (want("queues")) await benchQueues(join(directory, "queues"));
  if (want("fairness")) await benchFairness(join(directory, "fairness"));
  if (want("functions")) await onPlatform("functions", null, benchFunctions);
  if (want("schedules")) await onPlatform("schedules", null, benchSchedules);
  if (want("messages")) await onPlatform("messages", null, benchMessages);
  if (want("templates")) await onPlatform("templates", null, benchTemplates);
  if (want("triggers")) await onPlatform("triggers", null, benchTriggers);
  if (want("writers")) await onPlatform("writers", null, benchWriters);
  if (want("identity") || want("tokens")) {
    await onPlatform("identity", null, async (access) => {
      if (want("identity")) await benchIdentity(access);
      if (want("tokens")) await benchTokens(access);
    });
  }
  await database.stop();
} finally {
  await rm(directory, { recursive: true, force: true });
}

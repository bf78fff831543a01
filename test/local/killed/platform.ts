import { rmSync } from "node:fs";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Document, MongoClient } from "mongodb";
import { inject, vi } from "vitest";
import { startEmbeddedMongo } from "../../../infra/local/mongo/start.ts";
import { type Command, type Hold, startDatabaseProxy } from "../../setup/database-proxy.ts";
import { type HttpClient, httpClient } from "../../setup/http-client.ts";
import { launchPlatform } from "../../setup/launch-platform.ts";
import { type PlatformProcess, startPlatformProcess } from "../../setup/platform-process.ts";
import { temporaryDirectory } from "../run.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 50 };

type Stored = Document & { _id: string };

export const isIn = (database: string, name: string, collection: string) => (command: Command) =>
  command.database === database && command.name === name && command.collection === collection;

/** Steps of a worker: the commands by which one sees how far it has come. */
export const step = {
  /** A command of this name on this collection. */
  command: (when: Hold["when"], database: string, name: string, collection: string): Hold => ({
    when,
    is: isIn(database, name, collection),
  }),
  /** The commit of a transaction that has a command of this name on this collection. */
  commit: (when: Hold["when"], database: string, name: string, collection: string): Hold => ({
    when,
    is: (command) => command.name === "commitTransaction" && command.transaction.some(isIn(database, name, collection)),
  }),
} as const;

/**
 * A platform in a process of its own, with a database behind a proxy that holds workers at their steps. A kill ends the
 * platform and its database at the same time. The recurring jobs are paused.
 */
export const launchKillable = async () => {
  const dataDir = temporaryDirectory();
  /** Entry of an outbox → its queue. */
  const queues = new Map<string, string>();
  const noteQueues = ({ name, collection, body }: Command): void => {
    if (name !== "insert" || collection !== "_outbox") return;
    for (const { _id, queue } of body.documents) queues.set(_id, queue);
  };
  const startDatabase = async () => {
    const server = await startEmbeddedMongo({ dataDir: `${dataDir}/database` });
    const proxy = await startDatabaseProxy(server.uri, noteQueues);
    const client = await new MongoClient(server.uri).connect();
    return {
      ...proxy,
      client,
      end: async (signal: "SIGKILL" | "SIGTERM") => {
        await client.close();
        process.kill(server.pid, signal);
        await server.stop();
        await proxy.stop();
      },
    };
  };
  let database = await startDatabase();
  const options = () => ({
    dataDir,
    passwordHashes: "weak" as const,
    bundles: inject("platform").bundles,
    environments: { most: 64, idle: 600_000 },
    pausesJobs: true,
    mongoUri: database.uri,
  });
  const child = await startPlatformProcess(options());
  let platform: Pick<PlatformProcess, "access" | "stop"> = child;
  let http: HttpClient = httpClient(platform.access.url);
  let logs: (functionName: string) => readonly string[] = () => [];

  const sdk = () => {
    const { awsEndpoint: endpoint, region, credentials } = platform.access;
    return { endpoint, region, credentials };
  };
  const nameOf = (name: string): string => `tenantry-${platform.access.stage}-${name}`;
  const collection = (organization: string, name: string) => database.client.db(organization).collection<Stored>(name);
  const invoke = async <T>(name: string, payload: object = {}): Promise<T> => {
    const command = new InvokeCommand({ FunctionName: nameOf(name), Payload: JSON.stringify(payload) });
    const { FunctionError, Payload } = await new LambdaClient(sdk()).send(command);
    const text = Payload?.transformToString() ?? "null";
    if (FunctionError !== undefined) throw new Error(text);
    return JSON.parse(text);
  };

  return {
    access: () => platform.access,
    http: () => http,
    collection,
    sdk,
    invoke,
    /** The lines of a function since the restart. */
    logs: (name: string): string[] => [...logs(nameOf(name))],
    /** The step at which a worker completes its entry, just before its message is acknowledged. */
    completes: (when: Hold["when"], organization: string, queue: string): Hold => ({
      when,
      is: (command) =>
        isIn(organization, "delete", "_outbox")(command) && queues.get(command.body.deletes[0].q._id) === queue,
    }),
    /**
     * Does what queues a message, and resolves with the entry of the worker that has come to this step and gets no
     * further. All other work of the organization has ended then, because its kill is not tested.
     */
    heldAt: async (hold: Hold, organization: string, queue: string, work: () => Promise<unknown>): Promise<string> => {
      const held = database.hold(hold);
      await work();
      const { name, body, transaction } = await held;
      const outbox = collection(organization, "_outbox");
      const isDeleted = hold.when === "after" && name === "delete";
      await vi.waitUntil(async () => (await outbox.countDocuments({ queue })) === (isDeleted ? 0 : 1), patiently);
      const entry = (await outbox.findOne({ queue }))?._id ?? body.deletes[0].q._id;
      // What it has committed is not sent before it goes on.
      const added = transaction.filter(isIn(organization, "insert", "_outbox")).flatMap((one) => one.body.documents);
      const own = [entry, ...added.map(({ _id }) => _id)];
      await vi.waitUntil(async () => (await outbox.countDocuments({ _id: { $nin: own } })) === 0, patiently);
      return entry;
    },
    /** Resolves when a worker has come to this step. It gets no further. */
    held: (hold: Hold): Promise<Command> => database.hold(hold),
    /** Kills the platform and the database, and starts the database again, so that one sees what is left. */
    kill: async (): Promise<void> => {
      await Promise.all([child.kill(), database.end("SIGKILL")]);
      database = await startDatabase();
    },
    /** Starts the killed platform, in this process, at a time at which the leases of its workers have run out. */
    restart: async (organizations: readonly string[]): Promise<void> => {
      const past = { $set: { "lease.until": new Date(0) } };
      await collection("base", "platform_mail").updateMany({ status: "sending" }, past);
      for (const organization of organizations) {
        const outbox = collection(organization, "_outbox");
        await outbox.updateMany({ status: "running" }, past);
        await outbox.updateMany({ status: "pending" }, { $set: { created: new Date(Date.now() - 60_000) } });
      }
      const launched = await launchPlatform(options());
      platform = launched;
      http = httpClient(launched.access.url);
      logs = launched.platform.logs;
    },
    /** Delivers the message of an outbox entry again. */
    deliver: async (queue: string, organization: string, id: string): Promise<void> => {
      const QueueUrl = `${platform.access.awsEndpoint}/000000000000/${nameOf(queue)}`;
      const MessageBody = JSON.stringify({ organization, id });
      await new SQSClient(sdk()).send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: organization }));
    },
    /** Runs the job that sweeps outboxes until every entry is handled or has failed. */
    quiet: async (organizations: readonly string[]): Promise<void> => {
      const unfinished = async (): Promise<number> => {
        await invoke("sweep-outbox");
        const counts = organizations.map((one) =>
          collection(one, "_outbox").countDocuments({ status: { $ne: "failed" } }),
        );
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      };
      await vi.waitUntil(async () => (await unfinished()) === 0, { ...patiently, interval: 300 });
    },
    stop: async (): Promise<void> => {
      await platform.stop();
      await database.end("SIGTERM");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

export type KillablePlatform = Awaited<ReturnType<typeof launchKillable>>;

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { build } from "esbuild";
import { MongoClient } from "mongodb";
import { buildOptions } from "../../../infra/bundle.ts";
import type { Worker } from "../../../infra/stacks/messaging.ts";
import type { Template } from "../../../infra/templates.ts";
import { queueApp } from "../../infra/queue-stack.ts";
import { type LaunchedPlatform, type LaunchOptions, launchPlatform } from "../../setup/launch-platform.ts";
import { startPlatformProcess } from "../../setup/platform-process.ts";
import { temporaryDirectory } from "../run.ts";
import { echo } from "./contract.ts";

const STAGE = "selftest";

/** The directory with the bundle of a handler. */
const bundle = async (source: string): Promise<string> => {
  const directory = temporaryDirectory();
  const entryPoints = { index: source };
  await build({ ...buildOptions, entryPoints, splitting: false, outdir: directory, write: true, metafile: false });
  return directory;
};

const worker: Worker = { needs: { timeout: 5 }, impact: "nothing is noted.", mostConcurrent: 8 };

/** The template of a queue `echo`, its consumer, a function that sends to it, and the job that sweeps its outbox. */
const echoTemplate = async (settings: Partial<Worker> = {}): Promise<Template> => {
  const own = (name: string): string => join(import.meta.dirname, `${name}.ts`);
  const sources = [own("echo"), own("send-echo"), "functions/schedule/sweep-outbox.ts"];
  const [directory = "", sender = "", sweeper = ""] = await Promise.all(sources.map(bundle));
  const { app } = queueApp(directory, {
    contract: echo,
    workers: { echo: { ...worker, ...settings } },
    stage: STAGE,
    senders: { "send-echo": sender, "sweep-echo": sweeper },
  });
  return JSON.parse(readFileSync(app.synth().getStackByName("example").templateFullPath, "utf8"));
};

/** What a test does with the queue `echo` of a platform. */
const echoOf = async ({ access }: Pick<LaunchedPlatform, "access">) => {
  const settingsOfSdk = { endpoint: access.awsEndpoint, region: access.region, credentials: access.credentials };
  const lambda = new LambdaClient(settingsOfSdk);
  const sqs = new SQSClient(settingsOfSdk);
  const urlOf = (name: string): string => `${access.awsEndpoint}/000000000000/tenantry-${STAGE}-${name}`;
  const invoke = async <T>(name: string, event: unknown): Promise<T> => {
    const command = new InvokeCommand({ FunctionName: `tenantry-${STAGE}-${name}`, Payload: JSON.stringify(event) });
    const { FunctionError, Payload } = await lambda.send(command);
    const text = Payload?.transformToString() ?? "null";
    if (FunctionError !== undefined) throw new Error(JSON.parse(text).errorMessage);
    return JSON.parse(text);
  };
  return {
    invoke,
    database: await new MongoClient(access.mongoUri).connect(),
    /** Commits messages, and gives the ids of their entries. */
    commit: (organization: string, payloads: readonly object[], rest: object = {}): Promise<string[]> =>
      invoke("send-echo", { organization, payloads, ...rest }),
    /** Delivers a message for an entry once more. */
    deliver: (organization: string, id: string, rest: Partial<SendMessageCommandInput> = {}) =>
      sqs.send(
        new SendMessageCommand({ QueueUrl: urlOf("echo"), MessageBody: JSON.stringify({ organization, id }), ...rest }),
      ),
    /** Removes all messages of the queue, also those in flight. */
    purge: () => sqs.send(new PurgeQueueCommand({ QueueUrl: urlOf("echo") })),
    /** The numbers of messages that wait, are delayed and are in flight. */
    counts: async (name = "echo"): Promise<number[]> => {
      const ask = new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames: ["All"] });
      const { Attributes = {} } = await sqs.send(ask);
      const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesDelayed: delayed } = Attributes;
      return [visible, delayed, Attributes.ApproximateNumberOfMessagesNotVisible].map(Number);
    },
  };
};

/** The platform with the queue `echo`. */
export const launchEcho = async (options: Partial<LaunchOptions> & { settings?: Partial<Worker> } = {}) => {
  const { settings, ...rest } = options;
  const launched = await launchPlatform({
    dataDir: temporaryDirectory(),
    passwordHashes: "weak",
    extraTemplates: new Map([["example", await echoTemplate(settings)]]),
    ...rest,
  });
  return { ...launched, ...(await echoOf(launched)) };
};

/** The same in a process of its own, which a test kills. */
export const startEchoProcess = async (options: Pick<LaunchOptions, "dataDir" | "bundles">) => {
  const extraTemplates = new Map([["example", await echoTemplate()]]);
  const started = await startPlatformProcess({ passwordHashes: "weak", extraTemplates, ...options });
  return { ...started, ...(await echoOf(started)) };
};

export type EchoPlatform = Awaited<ReturnType<typeof launchEcho>>;

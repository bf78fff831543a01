import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { App } from "aws-cdk-lib/core";
import * as z from "zod";
import { defineMessage, type MessageContract, messageHandler } from "#contracts/queue";
import { HandlerFunction } from "../../infra/constructs/handler-function.ts";
import { addChecks } from "../../infra/stacks/checks.ts";
import { MessagingStack, type Worker } from "../../infra/stacks/messaging.ts";
import { parseSettings } from "../../infra/stacks/settings.ts";

const greetings = defineMessage({ queue: "greetings", summary: "Greets", payload: z.object({}) });
const worker: Worker = { needs: { timeout: 30 }, impact: "nobody is greeted." };

interface Options {
  readonly contract?: MessageContract;
  readonly workers?: Readonly<Record<string, Worker>>;
  readonly stage?: string;
  /** Other functions, which send to the queue: name → the directory of their code. */
  readonly senders?: Readonly<Record<string, string>>;
  readonly checks?: boolean;
  readonly outdir?: string;
}

/** A stack with one queue. `directory` has the code of its function. */
export const queueApp = (directory: string, options: Options = {}) => {
  const {
    contract = greetings,
    workers = { [contract.queue]: worker },
    stage = "dev",
    senders = {},
    checks = false,
  } = options;
  const app = new App({
    context: { "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true },
    analyticsReporting: false,
    ...{ builtinCloudFormationValidation: checks },
    ...(options.outdir && { outdir: options.outdir }),
  });
  if (checks) addChecks(app);
  const bundleOf = (path: string) => {
    mkdirSync(resolve(path), { recursive: true });
    return { directory: resolve(path), hash: "0".repeat(64), bytes: 0, coldBytes: 0 };
  };
  const bundles = new Map([[messageHandler(contract), bundleOf(directory)]]);
  const handlerOf = (name: string): string => `functions/operations/${name}.ts`;
  for (const [name, path] of Object.entries(senders)) bundles.set(handlerOf(name), bundleOf(path));
  const settings = parseSettings({ stage, passwordHashes: stage === "selftest" ? "weak" : "strong" }, "1.0.0");
  const stack = new MessagingStack(app, "example", { settings, bundles, contracts: [contract], workers });
  for (const name of Object.keys(senders)) {
    new HandlerFunction(stack, name, {
      settings,
      bundles,
      name,
      handler: handlerOf(name),
      description: "Sends messages",
      needs: { database: true, sends: [contract.queue] },
      impact: "nobody sends anything.",
    });
  }
  return { app, stack };
};

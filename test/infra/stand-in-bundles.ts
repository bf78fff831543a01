import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { type Contract, handlerPath } from "#contracts/contract";
import { jobs } from "#contracts/jobs";
import * as operations from "#contracts/operations";
import { messageHandler } from "#contracts/queue";
import { queues } from "#contracts/queues";
import { routes } from "#contracts/routes";
import { scheduledWork } from "#contracts/scheduled-work";
import { jobHandler, scheduledWorkHandler } from "#contracts/schedules";
import { taskHandler } from "#contracts/workflow";
import { tasks } from "#contracts/workflows";
import type { Bundle } from "../../infra/bundle.ts";

const others = [
  "functions/http/default-route.ts",
  ...Object.values(operations).map(({ operation }) => `functions/operations/${operation}.ts`),
  ...tasks.map(taskHandler),
  ...jobs.map(jobHandler),
  ...queues.map(messageHandler),
  ...scheduledWork.map(scheduledWorkHandler),
];

/** An empty directory for every handler, which is enough to synthesize. */
export const standInBundles = (contracts: readonly Contract[] = routes): Map<string, Bundle> => {
  const root = resolve("node_modules/.cache/tenantry-stand-ins");
  return new Map(
    [...others, ...contracts.map(handlerPath)].map((handler) => {
      const directory = resolve(root, handler);
      mkdirSync(directory, { recursive: true });
      return [handler, { directory, hash: "0".repeat(64), bytes: 0, coldBytes: 0 }];
    }),
  );
};

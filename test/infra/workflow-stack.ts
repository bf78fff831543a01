import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { App } from "aws-cdk-lib/core";
import * as z from "zod";
import { defineTask, taskHandler } from "#contracts/workflow";
import { addChecks } from "../../infra/stacks/checks.ts";
import { parseSettings } from "../../infra/stacks/settings.ts";
import { type Workflow, WorkflowsStack } from "../../infra/stacks/workflows.ts";

const step = (name: string) =>
  defineTask({
    workflow: "example",
    step: name,
    summary: `The step ${name} of an example`,
    input: z.object({}),
    output: z.object({}),
  });

const example: Workflow = {
  definition: (task) => ({
    StartAt: "Greet",
    TimeoutSeconds: 600,
    States: {
      Greet: task("greet").state(
        { "name.$": "$.name" },
        { ResultPath: "$.greeting", Catch: [{ ErrorEquals: ["States.ALL"], Next: "Tidy" }], End: true },
      ),
      Tidy: task("tidy").state({}, { Next: "Failed" }),
      Failed: { Type: "Fail", Error: "not_greeted" },
    },
  }),
  needs: {
    greet: { timeout: 5 },
    tidy: { timeout: 5, provisions: true, startsWorkflows: ["example"], watchesWorkflows: ["example"] },
  },
  impact: "nobody is greeted until somebody starts the workflow again.",
};

/** A stack with a workflow of two tasks. `directories` has the code of their functions, by step. */
export const workflowApp = (
  directories: Readonly<Record<"greet" | "tidy", string>>,
  {
    checks = false,
    outdir,
    workflows = { example },
  }: { checks?: boolean; outdir?: string; workflows?: Readonly<Record<string, Workflow>> } = {},
) => {
  const app = new App({
    context: { "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true },
    analyticsReporting: false,
    ...{ builtinCloudFormationValidation: checks },
    ...(outdir && { outdir }),
  });
  if (checks) addChecks(app);
  const tasks = Object.keys(directories).map(step);
  const bundles = new Map(
    Object.entries(directories).map(([name, path]) => {
      const directory = resolve(path);
      mkdirSync(directory, { recursive: true });
      return [taskHandler(step(name)), { directory, hash: "0".repeat(64), bytes: 0, coldBytes: 0 }];
    }),
  );
  const stack = new WorkflowsStack(app, "example", { settings: parseSettings({}, "1.0.0"), bundles, tasks, workflows });
  return { app, stack };
};

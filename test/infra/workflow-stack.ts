import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { App, Stack } from "aws-cdk-lib/core";
import * as z from "zod";
import { defineTask } from "#contracts/workflow";
import { StateMachine } from "../../infra/constructs/state-machine.ts";
import { WorkflowTask } from "../../infra/constructs/workflow-task.ts";
import { addChecks } from "../../infra/stacks/checks.ts";
import { parseSettings } from "../../infra/stacks/settings.ts";

const step = (name: string) =>
  defineTask({
    workflow: "example",
    step: name,
    summary: `The step ${name} of an example`,
    input: z.object({}),
    output: z.object({}),
  });

/** A stack with a workflow of two tasks. `directories` has the code of their functions, by step. */
export const workflowApp = (
  directories: Readonly<Record<"greet" | "tidy", string>>,
  { checks = false, outdir }: { checks?: boolean; outdir?: string } = {},
) => {
  const app = new App({
    context: { "aws:cdk:enable-asset-metadata": true, "aws:cdk:disable-asset-staging": true },
    analyticsReporting: false,
    ...{ builtinCloudFormationValidation: checks },
    ...(outdir && { outdir }),
  });
  if (checks) addChecks(app);
  const stack = new Stack(app, "example");
  const settings = parseSettings({}, "1.0.0");
  const bundles = new Map(
    Object.entries(directories).map(([name, path]) => {
      const directory = resolve(path);
      mkdirSync(directory, { recursive: true });
      const bundle = { directory, hash: "0".repeat(64), bytes: 0, coldBytes: 0 };
      return [`functions/workflow/example/${name}.ts`, bundle];
    }),
  );
  const make = (name: string) =>
    new WorkflowTask(stack, name, { settings, bundles, contract: step(name), needs: { timeout: 5 } });
  const [greet, tidy] = [make("greet"), make("tidy")];
  new StateMachine(stack, "Workflow", {
    settings,
    name: "example",
    definition: {
      StartAt: "Greet",
      TimeoutSeconds: 600,
      States: {
        Greet: greet.state(
          { "name.$": "$.name" },
          { ResultPath: "$.greeting", Catch: [{ ErrorEquals: ["States.ALL"], Next: "Tidy" }], End: true },
        ),
        Tidy: tidy.state({}, { Next: "Failed" }),
        Failed: { Type: "Fail", Error: "not_greeted" },
      },
    },
    tasks: [greet, tidy],
    impact: "nobody is greeted until somebody starts the workflow again.",
  });
  return { app, stack };
};

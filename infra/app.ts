import { readFileSync } from "node:fs";
import { App, type AppProps, DefaultStackSynthesizer, type IReusableStackSynthesizer } from "aws-cdk-lib/core";
import { handlerPath } from "#contracts/contract";
import { jobs } from "#contracts/jobs";
import * as operations from "#contracts/operations";
import { messageHandler } from "#contracts/queue";
import { queues } from "#contracts/queues";
import { routes } from "#contracts/routes";
import { runScheduled, scheduledWork } from "#contracts/scheduled-work";
import { jobHandler, scheduledWorkHandler } from "#contracts/schedules";
import { taskHandler } from "#contracts/workflow";
import { tasks } from "#contracts/workflows";
import { type Bundles, bundleFunctions } from "./bundle.ts";
import { operatorHandler } from "./constructs/operator-function.ts";
import { ApiAreaStack } from "./stacks/api-area.ts";
import { CoreStack, defaultHandler } from "./stacks/core.ts";
import { DataStack } from "./stacks/data.ts";
import { FunctionsRunnerStack } from "./stacks/functions-runner.ts";
import { runScheduledSettings, scheduledJobs } from "./stacks/jobs.ts";
import { MessagingStack } from "./stacks/messaging.ts";
import { OperationsStack } from "./stacks/operations.ts";
import { SchedulesStack } from "./stacks/schedules.ts";
import { parseSettings, TEST_STAGE } from "./stacks/settings.ts";
import { queueWorkers } from "./stacks/workers.ts";
import { WorkflowsStack } from "./stacks/workflows.ts";
import { workflows } from "./workflows/workflows.ts";

export interface BuildOptions extends Omit<AppProps, "context"> {
  /** The result of `bundleFunctions()`. */
  readonly bundles: Bundles;
  /** Overrides the `context` of cdk.json. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/**
 * Wires the stacks of one stage. The result has `synth()`. @throws Error if the context is invalid, or if contracts and
 * handlers do not match one to one
 */
export const buildApp = ({ bundles, context, ...options }: BuildOptions): App => {
  requireOneHandlerPerContract(bundles);
  const app = new App({
    analyticsReporting: false,
    // The CLI checks the version of the bootstrap stack before it deploys, so templates need no rule for it. The cast
    // is for the library's types, which contradict each other under exactOptionalPropertyTypes.
    defaultStackSynthesizer: new DefaultStackSynthesizer({
      generateBootstrapVersionRule: false,
    }) as IReusableStackSynthesizer,
    ...options,
    context: { ...readJson("../cdk.json").context, ...context },
  });
  const settings = parseSettings(app.node.getAllContext(), readJson("../package.json").version);
  const prefix = `tenantry-${settings.stage}`;
  const propsFor = (description: string) => ({
    settings,
    bundles,
    description: `Tenantry ${settings.stage}: ${description}`,
    terminationProtection: settings.stage === "prod",
    tags: { application: "tenantry", stage: settings.stage },
  });
  const data = new DataStack(app, `${prefix}-data`, propsFor("signing keys, database secrets, alarm topic"));
  const core = new CoreStack(app, `${prefix}-core`, propsFor("the HTTP API"));
  core.addStackDependency(data, "reads what it publishes when it is deployed");
  const runner = new FunctionsRunnerStack(app, `${prefix}-functions-runner`, propsFor("what runs tenants' Python"));
  runner.addStackDependency(data, "reads what it publishes when it is deployed");
  for (const [area, contracts] of Map.groupBy(routes, (contract) => contract.area)) {
    const props = { ...propsFor(`the ${area} routes`), contracts };
    const stack = new ApiAreaStack(app, `${prefix}-api-${area}`, props);
    stack.addStackDependency(core, "reads what it publishes when it is deployed");
  }
  const operations = new OperationsStack(app, `${prefix}-operations`, propsFor("what operators run by hand"));
  operations.addStackDependency(core, "reads what it publishes when it is deployed");
  // CloudFormation refuses a stack without resources.
  if (tasks.length > 0) {
    const props = { ...propsFor("the workflows"), tasks, workflows };
    const stack = new WorkflowsStack(app, `${prefix}-workflows`, props);
    stack.addStackDependency(core, "reads what it publishes when it is deployed");
  }
  if (queues.length > 0) {
    const props = { ...propsFor("the queues"), contracts: queues, workers: queueWorkers };
    const stack = new MessagingStack(app, `${prefix}-messaging`, props);
    stack.addStackDependency(core, "reads what it publishes when it is deployed");
  }
  if (jobs.length > 0) {
    const work = [{ contract: runScheduled, ...runScheduledSettings(settings) }];
    const props = { ...propsFor("the recurring jobs"), contracts: jobs, jobs: scheduledJobs, work };
    const stack = new SchedulesStack(app, `${prefix}-schedules`, props);
    stack.addStackDependency(core, "reads what it publishes when it is deployed");
  }
  return app;
};

const requireOneHandlerPerContract = (bundles: Bundles): void => {
  const operators = Object.values(operations).map(({ operation }) => operatorHandler(operation));
  const background = [
    ...operators,
    ...tasks.map(taskHandler),
    ...jobs.map(jobHandler),
    ...queues.map(messageHandler),
    ...scheduledWork.map(scheduledWorkHandler),
  ];
  const declared = new Set([defaultHandler, ...routes.map(handlerPath), ...background]);
  const present = new Set(bundles.keys());
  const problems = [
    ...without(declared, present).map((handler) => `  ${handler} is missing: a contract needs it`),
    ...without(present, declared).map((handler) => `  ${handler} has no contract in shared/contracts`),
  ];
  if (problems.length > 0) throw new Error(`Contracts and handlers do not match:\n${problems.join("\n")}`);
};

const without = (some: Set<string>, others: Set<string>) => [...some].filter((one) => !others.has(one));

const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));

/** @throws Error for the stage of the test suite, which has weak password hashes, and for a setting for this machine */
export const requireDeployableStage = (app: App): void => {
  if (app.node.tryGetContext("stage") === TEST_STAGE)
    throw new Error(`The stage ${TEST_STAGE} belongs to the test suite and is never deployed.`);
  // In a Lambda the addresses of its host are those of the runtime itself.
  if (String(app.node.tryGetContext("outboundLoopback")) === "true")
    throw new Error("With outboundLoopback the platform runs on this machine only and is never deployed.");
  if (app.node.tryGetContext("dnsServers") !== undefined)
    throw new Error("dnsServers is for tests on this machine; a deployed platform asks the DNS of its host.");
};

if (import.meta.main) {
  const { addChecks } = await import("./stacks/checks.ts");
  const app = buildApp({ bundles: await bundleFunctions() });
  requireDeployableStage(app);
  addChecks(app);
  app.synth();
}

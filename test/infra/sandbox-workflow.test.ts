import { expect, test } from "vitest";
import * as z from "zod";
import { tasks } from "#contracts/workflows";
import { actionsOf, synthesized } from "./synthesized.ts";

const { functions, ofType } = synthesized();

const steps = functions.filter(({ handler }) => handler.startsWith("functions/workflow/sandbox/"));

const state: z.ZodType<State> = z.lazy(() =>
  z.looseObject({
    Type: z.string(),
    TimeoutSeconds: z.number().optional(),
    Retry: z.array(z.looseObject({ JitterStrategy: z.string().optional() })).optional(),
    Catch: z.array(z.looseObject({ Next: z.string() })).optional(),
    MaxConcurrency: z.number().optional(),
    ItemProcessor: z.object({ StartAt: z.string(), States: z.record(z.string(), state) }).optional(),
  }),
);
interface State {
  readonly Type: string;
  readonly TimeoutSeconds?: number | undefined;
  readonly Retry?: readonly { readonly JitterStrategy?: string | undefined }[] | undefined;
  readonly Catch?: readonly { readonly Next: string }[] | undefined;
  readonly MaxConcurrency?: number | undefined;
  readonly ItemProcessor?: { readonly States: Readonly<Record<string, State>> } | undefined;
}

const machine = ofType("AWS::StepFunctions::StateMachine").find(
  ({ properties }) => properties.StateMachineName === "tenantry-dev-sandbox",
);

/** The definition, with a text in place of each intrinsic. */
const definition = (() => {
  const joined = z.object({ "Fn::Join": z.tuple([z.literal(""), z.array(z.unknown())]) });
  const parts = joined.parse(machine?.properties.DefinitionString)["Fn::Join"][1];
  const text = parts.map((part) => (typeof part === "string" ? part : "arn")).join("");
  return z.object({ TimeoutSeconds: z.number(), States: z.record(z.string(), state) }).parse(JSON.parse(text));
})();

/** All states, with those inside of a Map. */
const allStates = (states: Readonly<Record<string, State>>): [string, State][] =>
  Object.entries(states).flatMap(([name, one]) => [
    [name, one] as [string, State],
    ...allStates(one.ItemProcessor?.States ?? {}),
  ]);

const named = allStates(definition.States);
const taskStates = named.filter(([, { Type }]) => Type === "Task");

test("the workflow has a function for each of its tasks, and its role may invoke exactly these", () => {
  const mine = tasks.filter(({ workflow }) => workflow === "sandbox").map(({ step }) => `tenantry-dev-sandbox-${step}`);
  expect(steps.map(({ name }) => name).toSorted()).toEqual(mine.toSorted());
  const roles = ofType("AWS::IAM::Role").filter(({ properties }) =>
    JSON.stringify(properties.AssumeRolePolicyDocument).includes("states.amazonaws.com"),
  );
  expect(roles).toHaveLength(1);
  const invoked = [...JSON.stringify(roles[0]?.properties.Policies).matchAll(/"Fn::GetAtt":\["([^"]+)","Arn"\]/g)];
  const ids = ofType("AWS::Lambda::Function")
    .filter(({ properties }) => mine.includes(String(properties.FunctionName)))
    .map(({ id }) => id);
  expect(invoked.map(([, id]) => id).toSorted()).toEqual(ids.toSorted());
});

test("each task has a time limit, and is retried with jitter; the execution has a time limit too", () => {
  expect(taskStates.length).toBeGreaterThanOrEqual(15);
  for (const [name, { TimeoutSeconds = 0, Retry = [] }] of taskStates) {
    expect([name, TimeoutSeconds > 0]).toEqual([name, true]);
    expect([name, Retry.some(({ JitterStrategy }) => JitterStrategy === "FULL")]).toEqual([name, true]);
  }
  expect(definition.TimeoutSeconds).toBe(3600);
});

test("a failure leads to the state that cleans up, from every state but those inside of the Map, and from itself", () => {
  const outside = Object.entries(definition.States).filter(([, { Type }]) => Type === "Task" || Type === "Map");
  const without = outside.filter(([, { Catch = [] }]) => !Catch.some(({ Next }) => Next === "CleanUp"));
  expect(without.map(([name]) => name)).toEqual(["CleanUp"]);
});

test("kinds of configuration are copied four at a time", () => {
  expect(definition.States.CopyKinds?.MaxConcurrency).toBe(4);
});

test("the workflow logs its events without their data, and writes traces", () => {
  expect(machine?.properties).toMatchObject({
    LoggingConfiguration: { Level: "ALL", IncludeExecutionData: false },
    TracingConfiguration: { Enabled: true },
  });
});

test("tasks read the databases' secrets and write their logs, and two delete schedules; they may do nothing else", () => {
  const allowed = ["logs:CreateLogStream", "logs:PutLogEvents", "secretsmanager:GetSecretValue"];
  const removing = ["tenantry-dev-sandbox-remove-belongings", "tenantry-dev-sandbox-switch-over"];
  for (const step of steps) {
    const own = removing.includes(step.name) ? ["scheduler:DeleteSchedule"] : [];
    const actions = [...new Set(actionsOf(step))].toSorted();
    expect([step.name, actions]).toEqual([step.name, [...allowed, ...own].toSorted()]);
  }
});

test("only the tasks that read or change the sandbox's database have the user that may drop and rename", () => {
  const without = steps.filter(({ environment }) => !("PROVISIONING_MONGODB_SECRET_ARN" in environment));
  expect(without.map(({ name }) => name).toSorted()).toEqual([
    "tenantry-dev-sandbox-finish",
    "tenantry-dev-sandbox-leave-lists",
    "tenantry-dev-sandbox-unregister",
  ]);
});

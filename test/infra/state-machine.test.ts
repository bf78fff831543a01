import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Match, Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { workflowApp } from "./workflow-stack.ts";

const standIn = "node_modules/.cache/tenantry-stand-ins/workflow";
const outdir = mkdtempSync(join(tmpdir(), "tenantry-workflow-"));
const { app, stack } = workflowApp({ greet: standIn, tidy: standIn }, { checks: true, outdir });
app.synth();
const findings: unknown = JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8")).pluginReports;
const template = Template.fromStack(stack);
rmSync(outdir, { recursive: true });
const only = (type: string, which: object = {}) => {
  const found = Object.values(template.findResources(type, which));
  expect(found).toHaveLength(1);
  return found[0]?.Properties;
};

/** An ARN with the names of pseudo parameters in place of their values. */
const arnText = (arn: unknown): string =>
  JSON.parse(JSON.stringify(arn))
    ["Fn::Join"][1].map((part: string | { Ref: string }) => (typeof part === "string" ? part : part.Ref))
    .join("");

test("cdk-nag and CloudFormation's validator accept a workflow", () => {
  expect(findings).toEqual([]);
});

test("the role of a state machine may invoke its tasks, write its logs and traces, and nothing else", () => {
  const role = only("AWS::IAM::Role", {
    Properties: {
      AssumeRolePolicyDocument: { Statement: [Match.objectLike({ Principal: { Service: "states.amazonaws.com" } })] },
    },
  });
  const [invoke, observe, ...rest] = role.Policies[0].PolicyDocument.Statement;
  const tasks = Object.keys(template.findResources("AWS::Lambda::Function"));
  expect(invoke.Action).toBe("lambda:InvokeFunction");
  expect(invoke.Resource).toEqual(tasks.map((id) => ({ "Fn::GetAtt": [id, "Arn"] })));
  expect(observe.Action.filter((action: string) => !/^(logs|xray):/.test(action))).toEqual([]);
  expect([role.Policies.length, rest]).toEqual([1, []]);
  template.resourceCountIs("AWS::IAM::Policy", 0);
});

test("a function that creates databases reads the secret of the user that may drop and rename, and others do not", () => {
  const reading = Object.values(template.findResources("AWS::IAM::Role")).flatMap(({ Properties }) => {
    const text = JSON.stringify(Properties.Policies[0].PolicyDocument);
    return text.includes("mongodbprovisioningsecretarn") ? [text] : [];
  });
  expect(reading).toHaveLength(1);
  expect(reading[0]).toContain(":execution:tenantry-dev-example:*");
  const told = Object.values(template.findResources("AWS::Lambda::Function")).filter(
    ({ Properties }) => "PROVISIONING_MONGODB_SECRET_ARN" in Properties.Environment.Variables,
  );
  expect(told.map(({ Properties }) => Properties.FunctionName)).toEqual(["tenantry-dev-example-tidy"]);
});

test("a function that starts and watches a workflow may do that with its executions only, and has its ARN", () => {
  const [tidy] = Object.values(
    template.findResources("AWS::Lambda::Function", { Properties: { FunctionName: "tenantry-dev-example-tidy" } }),
  );
  const role = template.findResources("AWS::IAM::Role")[tidy?.Properties.Role["Fn::GetAtt"][0]];
  const statements: { Action: string | string[]; Resource: unknown }[] =
    role?.Properties.Policies[0].PolicyDocument.Statement;
  const rights = statements
    .filter(({ Action }) => [Action].flat().some((action) => action.startsWith("states:")))
    .map(({ Action, Resource }) => [Action, arnText(Resource)]);
  const prefix = "arn:AWS::Partition:states:AWS::Region:AWS::AccountId";
  expect(rights).toEqual([
    ["states:StartExecution", `${prefix}:stateMachine:tenantry-dev-example`],
    [["states:DescribeExecution", "states:StopExecution"], `${prefix}:execution:tenantry-dev-example:*`],
  ]);
  expect(arnText(tidy?.Properties.Environment.Variables.EXAMPLE_STATE_MACHINE_ARN)).toBe(
    `${prefix}:stateMachine:tenantry-dev-example`,
  );
});

test("a task without a workflow is refused, and so are needs of an unknown step", () => {
  const directories = { greet: standIn, tidy: standIn };
  expect(() => workflowApp(directories, { workflows: {} })).toThrow(
    "The task greet belongs to no workflow: example is unknown",
  );
  const workflow = { definition: () => ({ StartAt: "A", TimeoutSeconds: 1, States: {} }), impact: "none." };
  expect(() => workflowApp(directories, { workflows: { example: { ...workflow, needs: { greeet: {} } } } })).toThrow(
    "The workflow example has no task greeet",
  );
});

test("a state machine logs all events without their data, and writes traces", () => {
  expect(only("AWS::StepFunctions::StateMachine")).toMatchObject({
    StateMachineName: "tenantry-dev-example",
    StateMachineType: "STANDARD",
    LoggingConfiguration: { Level: "ALL", IncludeExecutionData: false },
    TracingConfiguration: { Enabled: true },
  });
});

test("a task has a time limit above that of its function, and retries with backoff and jitter", () => {
  const definition = JSON.stringify(only("AWS::StepFunctions::StateMachine").DefinitionString);
  expect(definition).toContain(String.raw`\"TimeoutSeconds\":35`);
  expect(definition).toContain(String.raw`\"database_unavailable\"`);
  expect(definition).not.toContain(String.raw`\"validation_failed\"`);
  expect(definition).toContain(String.raw`\"MaxDelaySeconds\":30,\"MaxAttempts\":6,\"JitterStrategy\":\"FULL\"`);
  const functions = Object.values(template.findResources("AWS::Lambda::Function"));
  expect(functions.map(({ Properties }) => [Properties.FunctionName, Properties.Timeout])).toEqual([
    ["tenantry-dev-example-greet", 5],
    ["tenantry-dev-example-tidy", 5],
  ]);
});

test("an execution that fails, is late or is aborted raises an alarm with its impact and the runbook", () => {
  const { AlarmDescription, Metrics, Threshold } = only("AWS::CloudWatch::Alarm", {
    Properties: { AlarmDescription: Match.stringLikeRegexp("workflow-failed") },
  });
  expect(AlarmDescription).toBe(
    "Impact: nobody is greeted until somebody starts the workflow again. Runbook: docs/runbook.md#workflow-failed",
  );
  expect(Threshold).toBe(1);
  const names = Metrics.flatMap((one: { MetricStat?: { Metric: { MetricName: string } } }) =>
    one.MetricStat ? [one.MetricStat.Metric.MetricName] : [],
  );
  expect(names.toSorted()).toEqual(["ExecutionsAborted", "ExecutionsFailed", "ExecutionsTimedOut"]);
  expect(readFileSync("docs/runbook.md", "utf8")).toContain("\n## Workflow failed\n");
});

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { scheduleApp } from "./schedule-stack.ts";

const standIn = "node_modules/.cache/tenantry-stand-ins/schedule";
const outdir = mkdtempSync(join(tmpdir(), "tenantry-schedule-"));
const { app, stack } = scheduleApp(standIn, { checks: true, outdir });
app.synth();
const findings: unknown = JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8")).pluginReports;
const template = Template.fromStack(stack);
rmSync(outdir, { recursive: true });
const only = (type: string, which: object = {}, from = template) => {
  const found = Object.values(from.findResources(type, which));
  expect(found).toHaveLength(1);
  return found[0]?.Properties;
};
const noSuccess = { Properties: { AlarmDescription: Match.stringLikeRegexp("job-without-success") } };

test("cdk-nag and CloudFormation's validator accept a job", () => {
  expect(findings).toEqual([]);
});

test("a job is invoked at its rate in the name of a role that may only do that", () => {
  const [functionId] = Object.keys(template.findResources("AWS::Lambda::Function"));
  const arn = { "Fn::GetAtt": [functionId, "Arn"] };
  const schedule = only("AWS::Scheduler::Schedule");
  expect(schedule).toMatchObject({ ScheduleExpression: "rate(5 minutes)", FlexibleTimeWindow: { Mode: "OFF" } });
  expect(schedule.Target).toMatchObject({ Arn: arn, Input: "{}" });
  const [roleId] = schedule.Target.RoleArn["Fn::GetAtt"];
  const role = template.findResources("AWS::IAM::Role")[roleId]?.Properties;
  expect(role.AssumeRolePolicyDocument.Statement).toEqual([
    {
      Action: "sts:AssumeRole",
      Effect: "Allow",
      Principal: { Service: "scheduler.amazonaws.com" },
      Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
    },
  ]);
  expect(role.Policies.map(({ PolicyDocument }: { PolicyDocument: { Statement: unknown } }) => PolicyDocument)).toEqual(
    [{ Version: "2012-10-17", Statement: [{ Action: "lambda:InvokeFunction", Effect: "Allow", Resource: arn }] }],
  );
  template.resourceCountIs("AWS::IAM::Policy", 0);
});

test("a run of a job that fails is repeated neither by Scheduler nor by Lambda", () => {
  expect(only("AWS::Scheduler::Schedule").Target.RetryPolicy).toEqual({ MaximumRetryAttempts: 0 });
  expect(only("AWS::Lambda::EventInvokeConfig")).toMatchObject({
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 300,
    Qualifier: "$LATEST",
  });
});

describe("a job without a successful run in three intervals, and at least fifteen minutes, raises an alarm", () => {
  test.each([
    [{ minutes: 1 }, "rate(1 minute)", 300, 3],
    [{ minutes: 20 }, "rate(20 minutes)", 1200, 3],
    [{ hours: 1 }, "rate(1 hour)", 3600, 3],
    [{ days: 1 }, "rate(1 day)", 86_400, 3],
    [{ days: 2 }, "rate(2 days)", 86_400, 6],
  ])("%o", (rate, expression, period, periods) => {
    const rated = Template.fromStack(scheduleApp(standIn, { rate }).stack);
    expect(only("AWS::Scheduler::Schedule", {}, rated).ScheduleExpression).toBe(expression);
    const alarm = only("AWS::CloudWatch::Alarm", noSuccess, rated);
    expect(alarm).toMatchObject({
      AlarmDescription: "Impact: what nobody uses any more stays. Runbook: docs/runbook.md#job-without-success",
      ComparisonOperator: "LessThanThreshold",
      Threshold: 1,
      TreatMissingData: "breaching",
      EvaluationPeriods: periods,
      DatapointsToAlarm: periods,
    });
    const metrics: { Expression?: string; MetricStat?: { Period: number; Metric: { MetricName: string } } }[] =
      alarm.Metrics;
    expect(metrics.map((one) => one.Expression ?? [one.MetricStat?.Metric.MetricName, one.MetricStat?.Period])).toEqual(
      ["runs - failures", ["Invocations", period], ["Errors", period]],
    );
  });
});

test("the alarm's entry of the runbook exists", () => {
  expect(readFileSync("docs/runbook.md", "utf8")).toContain("\n## Job without success\n");
});

test("a job that could still run when its next run begins is refused, and so is a rate that no alarm can watch", () => {
  const jobs = { sweep: { needs: { timeout: 120 }, impact: "none." } };
  expect(() => scheduleApp(standIn, { rate: { minutes: 1 }, jobs })).toThrow(
    "A run of sweep may take longer than the time until the next one",
  );
  expect(() => scheduleApp(standIn, { rate: { days: 3 } })).toThrow("The job sweep is too rare for an alarm");
  expect(() => scheduleApp(standIn, { rate: { hours: 0.5 } })).toThrow("A rate is a positive integer, not 0.5");
});

test("a contract of a job without its needs is refused, and so are needs without a contract", () => {
  expect(() => scheduleApp(standIn, { jobs: {} })).toThrow("does not say what the job sweep needs");
  const job = { needs: {}, impact: "none." };
  expect(() => scheduleApp(standIn, { jobs: { sweep: job, swep: job } })).toThrow("The job swep has no contract");
});

import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnSchedule } from "aws-cdk-lib/aws-scheduler";
import { Aws, Duration } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { type JobContract, jobHandler, type Rate } from "#contracts/schedules";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "../stacks/settings.ts";
import { HandlerFunction } from "./handler-function.ts";
import { alarmPeriod, impactAlarm } from "./impact-alarm.ts";
import type { Needs } from "./needs.ts";

export interface ScheduledTargetProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly contract: JobContract;
  readonly needs: Needs;
  /** The effect on users while the job does not run or fails. */
  readonly impact: string;
}

const defaultTimeout = 60;

const DAY = 86_400;
const secondsIn = { minutes: 60, hours: 3600, days: DAY } as const;

/** The expression of a rate, such as `rate(1 minute)`, and its interval in seconds. */
const read = (rate: Rate): { expression: string; interval: number } => {
  const [unit, count] = Object.entries(rate)[0] as [keyof typeof secondsIn, number];
  if (!Number.isInteger(count) || count < 1) throw new Error(`A rate is a positive integer, not ${count}`);
  return {
    expression: `rate(${count} ${count === 1 ? unit.slice(0, -1) : unit})`,
    interval: count * secondsIn[unit],
  };
};

/**
 * A function that runs at a rate: with its schedule, the schedule's role, and an alarm if no run succeeds. Nothing is
 * repeated and nothing is kept in a dead-letter queue, because the next run does what a failed one has left.
 */
export class ScheduledTarget extends Construct {
  /** @throws Error if a run could last until the next one, or if no alarm can watch the rate */
  constructor(scope: Construct, id: string, props: ScheduledTargetProps) {
    super(scope, id);
    const { settings, contract, impact } = props;
    const { job, summary, rate } = contract;
    const { expression, interval } = read(rate);
    const needs = { timeout: Math.min(defaultTimeout, interval), ...props.needs };
    if (needs.timeout > interval) throw new Error(`A run of ${job} may take longer than the time until the next one`);
    const { function: target } = new HandlerFunction(this, "Handler", {
      ...props,
      needs,
      handler: jobHandler(contract),
      name: job,
      description: summary,
      impact: `runs of the job ${job} fail; the next ones do what was left, if they succeed.`,
    });
    // Scheduler hands the event to Lambda, which by default would try it three times and keep it for six hours.
    target.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.seconds(Math.min(interval, 21_600)) });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        needs: new PolicyDocument({
          statements: [
            new PolicyStatement({
              effect: Effect.ALLOW,
              actions: ["lambda:InvokeFunction"],
              resources: [target.functionArn],
            }),
          ],
        }),
      },
    });
    new CfnSchedule(this, "Schedule", {
      name: target.functionName,
      description: summary,
      scheduleExpression: expression,
      flexibleTimeWindow: { mode: "OFF" },
      target: {
        arn: target.functionArn,
        roleArn: role.roleArn,
        input: "{}",
        retryPolicy: { maximumRetryAttempts: 0 },
      },
    });
    const period = Duration.seconds(Math.min(Math.max(interval, alarmPeriod.toSeconds()), DAY));
    const periods = Math.ceil((3 * Math.max(interval, alarmPeriod.toSeconds())) / period.toSeconds());
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
    if (periods * period.toSeconds() > 7 * DAY) throw new Error(`The job ${job} is too rare for an alarm`);
    impactAlarm(this, "NoSuccess", {
      settings,
      metric: new MathExpression({
        expression: "runs - failures",
        usingMetrics: {
          runs: target.metricInvocations({ period, statistic: "Sum" }),
          failures: target.metricErrors({ period, statistic: "Sum" }),
        },
        period,
        label: "runs that succeeded",
      }),
      threshold: 1,
      below: true,
      datapoints: { bad: periods, of: periods },
      impact,
      runbook: "job-without-success",
    });
  }
}

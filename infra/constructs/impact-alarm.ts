import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Duration } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { Settings } from "../stacks/settings.ts";
import { sharedValue } from "./shared-value.ts";

/** An entry of docs/runbook.md. A test checks that the heading exists. */
type RunbookEntry =
  | "api-latency"
  | "api-server-errors"
  | "dead-letters"
  | "function-errors"
  | "index-builds-lost"
  | "job-without-success"
  | "lambda-concurrency"
  | "lambda-throttles"
  | "messages-failed"
  | "messages-unknown"
  | "migration-failed"
  | "queue-backlog"
  | "runner-errors"
  | "runner-throttles"
  | "schedules-lost"
  | "superuser-granted"
  | "usage-not-synced"
  | "workflow-failed";

export interface ImpactAlarmProps {
  readonly settings: Settings;
  readonly metric: IMetric;
  /** A datapoint is bad at or above it. */
  readonly threshold: number;
  /** A datapoint is bad below the threshold instead, and also if it is missing. */
  readonly below?: true;
  /** The alarm is raised if `bad` of the last `of` datapoints are bad; 1 of 1 by default. */
  readonly datapoints?: { readonly bad: number; readonly of: number };
  /** The effect on users, in a sentence for the operator on duty. */
  readonly impact: string;
  readonly runbook: RunbookEntry;
  /** The stack of the topic passes it; other stacks read the shared value. */
  readonly topicArn?: string;
}

export const alarmPeriod = Duration.minutes(5);

/** An alarm that states the impact and the runbook entry, and notifies the operators at its start and end. */
export const impactAlarm = (scope: Construct, id: string, props: ImpactAlarmProps): Alarm => {
  const { settings, metric, threshold, impact, runbook, datapoints = { bad: 1, of: 1 } } = props;
  const alarm = new Alarm(scope, id, {
    metric,
    threshold,
    comparisonOperator: props.below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    datapointsToAlarm: datapoints.bad,
    evaluationPeriods: datapoints.of,
    treatMissingData: props.below ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    alarmDescription: `Impact: ${impact} Runbook: docs/runbook.md#${runbook}`,
  });
  const alarmActionArn = props.topicArn ?? sharedValue(scope, settings.stage, "alarm-topic-arn");
  alarm.addAlarmAction({ bind: () => ({ alarmActionArn }) });
  alarm.addOkAction({ bind: () => ({ alarmActionArn }) });
  return alarm;
};

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Duration } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { Settings } from "../stacks/settings.ts";
import { sharedValue } from "./shared-value.ts";

/** The entries of docs/runbook.md; a test finds each heading there. */
type RunbookEntry =
  | "api-latency"
  | "api-server-errors"
  | "function-errors"
  | "lambda-concurrency"
  | "lambda-throttles"
  | "superuser-granted";

export interface ImpactAlarmProps {
  readonly settings: Settings;
  readonly metric: IMetric;
  /** At or above it, a datapoint is bad. */
  readonly threshold: number;
  /** Alarm on `bad` of the last `of` datapoints; 1 of 1 unless said otherwise. */
  readonly datapoints?: { readonly bad: number; readonly of: number };
  /** Who suffers and how, in a sentence for whoever is woken up by it. */
  readonly impact: string;
  readonly runbook: RunbookEntry;
  /** The stack that owns the topic passes it; others find it by its shared value. */
  readonly topicArn?: string;
}

export const alarmPeriod = Duration.minutes(5);

/** An alarm that says what it means and where to read on, and tells the operators when it starts and when it ends. */
export const impactAlarm = (scope: Construct, id: string, props: ImpactAlarmProps): Alarm => {
  const { settings, metric, threshold, impact, runbook, datapoints = { bad: 1, of: 1 } } = props;
  const alarm = new Alarm(scope, id, {
    metric,
    threshold,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    datapointsToAlarm: datapoints.bad,
    evaluationPeriods: datapoints.of,
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `Impact: ${impact} Runbook: docs/runbook.md#${runbook}`,
  });
  const alarmActionArn = props.topicArn ?? sharedValue(scope, settings.stage, "alarm-topic-arn");
  alarm.addAlarmAction({ bind: () => ({ alarmActionArn }) });
  alarm.addOkAction({ bind: () => ({ alarmActionArn }) });
  return alarm;
};

import { Duration } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { type ScheduledWorkContract, scheduledWorkHandler } from "#contracts/schedules";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "../stacks/settings.ts";
import { HandlerFunction } from "./handler-function.ts";
import { alarmPeriod, impactAlarm } from "./impact-alarm.ts";
import type { Needs } from "./needs.ts";

export interface ScheduledWorkProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly contract: ScheduledWorkContract;
  readonly needs: Needs;
  /** The effect on users of runs that are given up. */
  readonly impact: string;
  readonly mostConcurrent: number;
}

/**
 * The function that schedules invoke which are made at run time. Lambda repeats a run that fails twice, and keeps
 * events that it throttles for six hours. What is given up raises an alarm.
 */
export class ScheduledWork extends Construct {
  constructor(scope: Construct, id: string, props: ScheduledWorkProps) {
    super(scope, id);
    const { settings, contract, impact } = props;
    const { work, summary } = contract;
    const { function: target } = new HandlerFunction(this, "Handler", {
      ...props,
      handler: scheduledWorkHandler(contract),
      name: work,
      description: summary,
      impact: `runs of ${work} fail; Lambda repeats each of them twice.`,
    });
    target.configureAsyncInvoke({ retryAttempts: 2, maxEventAge: Duration.hours(6) });
    impactAlarm(this, "Lost", {
      settings,
      metric: target.metric("AsyncEventsDropped", { period: alarmPeriod, statistic: "Sum" }),
      threshold: 1,
      impact,
      runbook: "schedules-lost",
    });
  }
}

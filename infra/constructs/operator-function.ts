import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "../stacks/settings.ts";
import { HandlerFunction } from "./handler-function.ts";
import { alarmPeriod, impactAlarm } from "./impact-alarm.ts";
import type { Needs } from "./needs.ts";

export const operatorHandler = (name: string): string => `functions/operations/${name}.ts`;

export interface OperatorFunctionProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  /**
   * In kebab-case: `grant-superuser` is `functions/operations/grant-superuser.ts` and
   * `tenantry-<stage>-grant-superuser`.
   */
  readonly name: string;
  readonly description: string;
  readonly needs: Needs;
  /** The impact of an alarm on each invocation, for tasks that the other operators should know of. */
  readonly announce?: string;
  /** The impact of an alarm on each event that Lambda gives up, for tasks that are invoked asynchronously. */
  readonly lost?: string;
  /** The impact of an alarm on each log line with `alarm: "<name>-failed"`, for tasks that go on after a failure. */
  readonly failed?: string;
}

/** A function without a route. It can be invoked with `lambda:InvokeFunction` only. */
export class OperatorFunction extends Construct {
  constructor(scope: Construct, id: string, props: OperatorFunctionProps) {
    super(scope, id);
    const { settings, name, announce, lost, failed } = props;
    const handler = new HandlerFunction(this, "Handler", {
      ...props,
      handler: operatorHandler(name),
      impact: `operators cannot use ${name}; callers of the API notice nothing.`,
    });
    if (announce) {
      impactAlarm(this, "Used", {
        settings,
        metric: handler.function.metricInvocations({ period: alarmPeriod, statistic: "Sum" }),
        threshold: 1,
        impact: announce,
        runbook: "superuser-granted",
      });
    }
    if (lost) {
      impactAlarm(this, "Lost", {
        settings,
        // After three attempts, or six hours. The event holds nothing that the database does not.
        metric: handler.function.metric("AsyncEventsDropped", { period: alarmPeriod, statistic: "Sum" }),
        threshold: 1,
        impact: lost,
        runbook: "index-builds-lost",
      });
    }
    if (failed) {
      const lines = new MetricFilter(this, "FailedLines", {
        logGroup: handler.logGroup,
        filterPattern: FilterPattern.stringValue("$.alarm", "=", `${name}-failed`),
        metricNamespace: "Tenantry",
        metricName: `${settings.stage}-${name}-failed`,
        metricValue: "1",
      });
      impactAlarm(this, "Failed", {
        settings,
        metric: lines.metric({ period: alarmPeriod, statistic: "Sum" }),
        threshold: 1,
        impact: failed,
        runbook: "migration-failed",
      });
    }
  }
}

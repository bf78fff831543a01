import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { Duration, Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { HandlerFunction } from "../constructs/handler-function.ts";
import { HttpApi } from "../constructs/http-api.ts";
import { alarmPeriod, impactAlarm } from "../constructs/impact-alarm.ts";
import { Route } from "../constructs/route.ts";
import { ScheduleGroup } from "../constructs/schedule-group.ts";
import { publishValue } from "../constructs/shared-value.ts";
import type { PlatformStackProps } from "./platform-stack-props.ts";
import type { Settings } from "./settings.ts";

/** The handler of `$default`, which answers 404 and 405 with the platform's error body. It has no contract. */
export const defaultHandler = "functions/http/default-route.ts";

/** The HTTP API for all areas, and the alarms for the platform as a whole. */
export class CoreStack extends Stack {
  constructor(scope: Construct, id: string, props: PlatformStackProps) {
    super(scope, id, props);
    const { settings, bundles } = props;
    const { stage } = settings;
    const api = new HttpApi(this, "Http", settings);
    publishValue(this, stage, "api-id", api.apiId);
    publishValue(this, stage, "api-endpoint", api.url);

    const handler = new HandlerFunction(this, "DefaultHandler", {
      settings,
      bundles,
      handler: defaultHandler,
      name: "default-route",
      description: "$default: answers 404 and 405 for whatever no route takes",
      needs: { memory: 512, timeout: 5 },
      impact: "callers of unknown routes get a bare 500 instead of our 404; real routes are not touched.",
      issuer: api.url,
    });
    new Route(this, "DefaultRoute", {
      apiId: api.apiId,
      function: handler.function,
      key: "$default",
      openBecause: "There is nothing behind it: it tells anyone that the route does not exist.",
    });
    new ScheduleGroup(this, "Schedules", settings);
    this.watch(settings, api.apiId);
  }

  private watch(settings: Settings, apiId: string): void {
    const api = (metricName: string, statistic: string) =>
      new Metric({
        namespace: "AWS/ApiGateway",
        metricName,
        statistic,
        period: alarmPeriod,
        dimensionsMap: { ApiId: apiId },
      });
    const lambda = (metricName: string, statistic: string) =>
      new Metric({ namespace: "AWS/Lambda", metricName, statistic, period: Duration.minutes(1) });

    impactAlarm(this, "ServerErrors", {
      settings,
      // The metric is 0 or 1 for each request, so its average is the share of failed requests.
      metric: api("5xx", "Average"),
      threshold: 0.01,
      datapoints: { bad: 2, of: 3 },
      impact: "at least one request in a hundred, over all routes, is answered with a 5xx.",
      runbook: "api-server-errors",
    });
    impactAlarm(this, "Latency", {
      settings,
      metric: api("Latency", "p95"),
      threshold: 3000,
      datapoints: { bad: 3, of: 3 },
      impact: "one request in twenty takes longer than three seconds; people see a platform that hangs.",
      runbook: "api-latency",
    });
    impactAlarm(this, "Throttles", {
      settings,
      metric: lambda("Throttles", "Sum"),
      threshold: 10,
      datapoints: { bad: 2, of: 3 },
      impact: "Lambda refuses to start functions in this account and region; their callers get a 503.",
      runbook: "lambda-throttles",
    });
    impactAlarm(this, "Concurrency", {
      settings,
      metric: lambda("ClaimedAccountConcurrency", "Maximum"),
      threshold: 800,
      datapoints: { bad: 3, of: 5 },
      impact:
        "nothing yet: 800 of the 1,000 executions a new account may run at once are in use, the rest is the reserve.",
      runbook: "lambda-concurrency",
    });
  }
}

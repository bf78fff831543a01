import type { IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type LogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { type IQueue, Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Duration } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { type MessageContract, messageHandler } from "#contracts/queue";
import type { Bundles } from "../bundle.ts";
import type { Settings } from "../stacks/settings.ts";
import { HandlerFunction } from "./handler-function.ts";
import { alarmPeriod, type ImpactAlarmProps, impactAlarm } from "./impact-alarm.ts";
import type { Needs } from "./needs.ts";

export interface QueueWorkerProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly contract: MessageContract;
  readonly needs: Needs;
  /** The effect on users while its messages wait or fail. */
  readonly impact: string;
  /** Messages of one invocation; 1 by default. They are handled one after the other, and share the time limit. */
  readonly batchSize?: number;
  /** Seconds that a batch gathers. */
  readonly batchingWindow?: number;
  /** The maximum of functions that handle messages at the same time. */
  readonly mostConcurrent?: number;
  /** Value of the field `alarm` of a log line of the function → an alarm for each such line. */
  readonly announced?: Readonly<Record<string, Announced>>;
}

/** What the function logs that a person must look at, although no message failed. */
export interface Announced extends Pick<ImpactAlarmProps, "impact" | "runbook"> {}

const defaultTimeout = 90;
/** The longest retention of SQS. */
const retentionPeriod = Duration.days(14);
/** Deliveries before a message is a dead letter. With the waits between them it takes about seven minutes. */
const mostReceives = 5;
const oldestMessage = Duration.minutes(15);
/** Messages that wait. One organization may send a hundred thousand at once, and then others hardly wait. */
const mostMessages = 250_000;

/**
 * A queue and the function that handles its messages: with a dead-letter queue, a role, an event source mapping that
 * knows partial failures of a batch, and alarms for the age and the number of messages that wait, and for dead letters.
 */
export class QueueWorker extends Construct {
  readonly queue: IQueue;
  readonly deadLetters: IQueue;

  constructor(scope: Construct, id: string, props: QueueWorkerProps) {
    super(scope, id);
    const { settings, contract, impact, batchSize = 1, batchingWindow = 0, mostConcurrent = 20 } = props;
    const { queue: name, summary } = contract;
    const needs = {
      timeout: defaultTimeout,
      ...props.needs,
      receives: name,
      // A message whose time has not come is sent again, but for those of other services.
      sends: [...new Set([...(contract.scope === "aws" ? [] : [name]), ...(props.needs.sends ?? [])])],
    };
    const queueName = `tenantry-${settings.stage}-${name}`;
    const secure = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, retentionPeriod };
    const deadLetters = new Queue(this, "DeadLetters", { ...secure, queueName: `${queueName}-dead-letters` });
    const queue = new Queue(this, "Queue", {
      ...secure,
      queueName,
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html recommends six times the time limit.
      visibilityTimeout: Duration.seconds(6 * needs.timeout + batchingWindow),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: mostReceives },
    });
    this.queue = queue;
    this.deadLetters = deadLetters;
    const { function: handler, logGroup } = new HandlerFunction(this, "Handler", {
      settings,
      bundles: props.bundles,
      needs,
      handler: messageHandler(contract),
      name,
      description: summary,
      impact: `messages of the queue ${name} fail; SQS delivers them again, up to ${mostReceives} times.`,
    });
    new CfnEventSourceMapping(this, "Mapping", {
      functionName: handler.functionArn,
      eventSourceArn: queue.queueArn,
      batchSize,
      maximumBatchingWindowInSeconds: batchingWindow,
      functionResponseTypes: ["ReportBatchItemFailures"],
      scalingConfig: { maximumConcurrency: mostConcurrent },
    });
    this.announce(settings, logGroup, props.announced ?? {});
    this.watch(settings, impact, {
      oldest: queue.metricApproximateAgeOfOldestMessage({ period: alarmPeriod, statistic: "Maximum" }),
      waiting: queue.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: "Maximum" }),
      dead: deadLetters.metricApproximateNumberOfMessagesVisible({ period: alarmPeriod, statistic: "Maximum" }),
    });
  }

  private announce(settings: Settings, logGroup: LogGroup, announced: Readonly<Record<string, Announced>>): void {
    for (const [name, { impact, runbook }] of Object.entries(announced)) {
      const lines = new MetricFilter(this, `${name}-lines`, {
        logGroup,
        filterPattern: FilterPattern.stringValue("$.alarm", "=", name),
        metricNamespace: "Tenantry",
        metricName: `${settings.stage}-${name}`,
        metricValue: "1",
      });
      const metric = lines.metric({ period: alarmPeriod, statistic: "Sum" });
      impactAlarm(this, name, { settings, metric, threshold: 1, impact, runbook });
    }
  }

  private watch(
    settings: Settings,
    impact: string,
    metrics: { oldest: IMetric; waiting: IMetric; dead: IMetric },
  ): void {
    impactAlarm(this, "Backlog", {
      settings,
      metric: metrics.oldest,
      threshold: oldestMessage.toSeconds(),
      datapoints: { bad: 2, of: 2 },
      impact: `messages wait longer than ${oldestMessage.toMinutes()} minutes: ${impact}`,
      runbook: "queue-backlog",
    });
    impactAlarm(this, "Depth", {
      settings,
      metric: metrics.waiting,
      threshold: mostMessages,
      datapoints: { bad: 2, of: 2 },
      impact: `more than ${mostMessages} messages wait: ${impact}`,
      runbook: "queue-backlog",
    });
    impactAlarm(this, "Dead", {
      settings,
      metric: metrics.dead,
      threshold: 1,
      impact: `messages were given up, and nobody handles them any more: ${impact}`,
      runbook: "dead-letters",
    });
  }
}

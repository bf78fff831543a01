import { join } from "node:path";
import * as z from "zod";
import { account, arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import { evaluate, policyDocument, type Statement, serviceMay } from "../iam/policy.ts";
import { principalArn } from "../iam/principal.ts";
import { type Authority, accessDenied } from "../iam/service.ts";
import type { Functions, LambdaFunction } from "../lambda/service.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import { declare, type ResourceRequest, refuse, type Service, tags } from "../service.ts";
import { type EventSource, eventSource } from "./event-source.ts";
import { moveTasks } from "./move-tasks.ts";
import { sqsEndpoint } from "./operations.ts";
import { openQueue, type Queue } from "./queue.ts";

const DAY = 86_400;
/** Milliseconds that a stop waits for running invocations. */
const PATIENCE = 300;

const whole = (from: number, to: number) => z.number().int().min(from).max(to);

/** README.md says what is supported. */
const queue = z.strictObject({
  QueueName: z
    .string()
    .regex(/^[\w-]{1,80}$/, "is not the name of a standard queue")
    .optional(),
  DelaySeconds: whole(0, 900).default(0),
  MaximumMessageSize: whole(1024, 1_048_576).default(1_048_576),
  MessageRetentionPeriod: whole(60, 14 * DAY).default(4 * DAY),
  ReceiveMessageWaitTimeSeconds: whole(0, 20).default(0),
  VisibilityTimeout: whole(0, 43_200).default(30),
  RedrivePolicy: z
    .strictObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().min(1).max(1000) })
    .optional(),
  /** Messages are not encrypted here. */
  SqsManagedSseEnabled: z.boolean().optional(),
  Tags: tags.optional(),
});

const queuePolicy = z.strictObject({ Queues: z.array(z.string()).min(1), PolicyDocument: policyDocument });

const mapping = z.strictObject({
  FunctionName: z.string(),
  EventSourceArn: z.string().regex(/^arn:[\w-]+:sqs:/, "only SQS queues are supported"),
  Enabled: z.boolean().default(true),
  BatchSize: whole(1, 10_000).default(10),
  MaximumBatchingWindowInSeconds: whole(0, 300).default(0),
  FunctionResponseTypes: z.array(z.literal("ReportBatchItemFailures")).default([]),
  ScalingConfig: z.strictObject({ MaximumConcurrency: whole(2, 1000).optional() }).optional(),
  Tags: tags.optional(),
});

/** What a mapping does in the name of the function's role. */
const MAPPING_ACTIONS = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];

interface Options {
  readonly clock: Clock;
  readonly authority: Authority;
  readonly functions: Functions;
  /** Of the platform's data. */
  readonly directory: string;
  /** Of the local services. */
  readonly url: string;
  readonly onDropped: (functionName: string, requestId: string, reason: string) => void;
}

/** Sends in the name of a role, for other services. Throws ServiceError. */
export type SendInName = (
  message: { readonly queueArn: string; readonly body: string; readonly attributes: Readonly<Record<string, string>> },
  by: { readonly roleArn: string; readonly session: string },
) => void;

interface SendingService {
  /** Its principal, such as `sns.amazonaws.com`. */
  readonly service: string;
  /** Of the resource for which it sends. */
  readonly sourceArn: string;
}

/** Sends for a service that the queue's policy admits. Throws an Error. */
export interface SendFromService {
  (message: { readonly queueArn: string; readonly body: string }, by: SendingService): void;
  /** Why the service cannot send to the queue; undefined if it can. */
  refusal(queueArn: string, by: SendingService): string | undefined;
}

const isAboutEverybody = ({ Effect, Principal = {} }: Statement): boolean =>
  Effect === "Deny" && Principal.AWS?.[0] === "*" && Object.keys(Principal).length === 1;

const admitsServices = ({ Effect, Principal = {} }: Statement): boolean =>
  Effect === "Allow" && Principal.Service !== undefined && Object.keys(Principal).length === 1;

/** SQS: standard queues, and the event source mappings that give their messages to functions. */
export const sqs = (
  options: Options,
): Service & { readonly send: SendInName; readonly sendFromService: SendFromService } => {
  const { clock, authority, functions, directory, url, onDropped } = options;
  const queues = new Map<string, Queue>();
  const declared = new Map<Queue, ResourceRequest>();
  const policies = new Map<string, Statement[]>();
  const mappings: { properties: z.output<typeof mapping>; request: ResourceRequest }[] = [];
  const sources: EventSource[] = [];
  const moves = moveTasks({ clock, find: (queueArn) => queues.get(queueArn) });

  const authorize = (call: SdkCall, action: string, queueArn: string): void => {
    call.authorize(`sqs:${action}`, queueArn);
    // The loopback address takes the place of TLS.
    const context = { "aws:SecureTransport": "true", "aws:PrincipalArn": principalArn(call.caller) };
    const statements = (policies.get(queueArn) ?? []).filter(isAboutEverybody);
    const verdict = evaluate(statements, { action: `sqs:${action}`, resource: queueArn, context });
    if (verdict === "deny") throw accessDenied(call.caller, `sqs:${action}`, queueArn, true);
  };

  const functionOf = ({ properties, request }: (typeof mappings)[number]): LambdaFunction =>
    functions.find(properties.FunctionName) ?? refuse(request, `there is no function ${properties.FunctionName}`);

  const openMapping = (one: (typeof mappings)[number]): EventSource => {
    const { properties, request } = one;
    const target = functionOf(one);
    if (target.perTenant)
      return refuse(request, `the function ${target.name} has tenant isolation, so that no queue invokes it`);
    const source = queues.get(properties.EventSourceArn);
    if (source === undefined) return refuse(request, `there is no queue ${properties.EventSourceArn}`);
    const { visibility, arn: queueArn } = source.settings;
    const principal = { kind: "role", roleArn: target.roleArn, session: target.name } as const;
    for (const action of MAPPING_ACTIONS) {
      if (authority.identitySays(principal, action, queueArn) === "allow") continue;
      return refuse(request, `the role of the function ${target.name} does not allow ${action} on ${queueArn}`);
    }
    if (visibility < target.timeout) {
      const reason = `the queue's visibility timeout (${visibility} s) is shorter than the function's time limit`;
      return refuse(request, `${reason} (${target.timeout} s)`);
    }
    if (properties.BatchSize > 10 && properties.MaximumBatchingWindowInSeconds < 1) {
      return refuse(request, "a batch of more than 10 messages needs a batching window");
    }
    return eventSource({
      clock,
      queue: source,
      target,
      settings: {
        batchSize: properties.BatchSize,
        window: properties.MaximumBatchingWindowInSeconds,
        reportsFailures: properties.FunctionResponseTypes.length > 0,
        mostConcurrent: properties.ScalingConfig?.MaximumConcurrency,
      },
      onDropped: (requestId, reason) => onDropped(target.name, requestId, reason),
    });
  };

  const send: SendInName = ({ queueArn, body, attributes }, by) => {
    authority.authorize({ kind: "role", ...by }, "sqs:SendMessage", queueArn);
    const found = queues.get(queueArn);
    if (found === undefined) {
      throw new ServiceError("AWS.SimpleQueueService.NonExistentQueue", `There is no queue ${queueArn}.`);
    }
    const typed = Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: "String", StringValue }]);
    found.send({ body, attributes: Object.fromEntries(typed), sender: by.roleArn });
  };

  const refusal: SendFromService["refusal"] = (queueArn, { service, sourceArn }) => {
    if (!queues.has(queueArn)) return `there is no queue ${queueArn}`;
    const context = { "aws:SourceArn": sourceArn, "aws:SourceAccount": account.id, "aws:SecureTransport": "true" };
    const request = { action: "sqs:SendMessage", resource: queueArn, context };
    const isAllowed = serviceMay(policies.get(queueArn) ?? [], service, request);
    return isAllowed ? undefined : `the queue ${queueArn} does not let ${service} send for ${sourceArn}`;
  };

  const sendFromService: SendFromService = Object.assign(
    ({ queueArn, body }: { readonly queueArn: string; readonly body: string }, by: SendingService): void => {
      const reason = refusal(queueArn, by);
      if (reason !== undefined) throw new Error(reason);
      queues.get(queueArn)?.send({ body, attributes: {}, sender: by.service });
    },
    { refusal },
  );

  return {
    send,
    sendFromService,
    name: "sqs",
    resources: {
      "AWS::SQS::Queue": declare(queue, (properties, request) => {
        const name = properties.QueueName ?? `${request.stack}-${request.logicalId}`.slice(0, 80);
        const queueArn = arn("sqs", name);
        if (queues.has(queueArn)) return refuse(request, `the queue ${name} exists twice`);
        const { RedrivePolicy } = properties;
        const opened = openQueue({
          clock,
          file: join(directory, "platform", "sqs", `${name}.jsonl`),
          settings: {
            name,
            arn: queueArn,
            url: `${url}/${account.id}/${name}`,
            delay: properties.DelaySeconds,
            retention: properties.MessageRetentionPeriod,
            visibility: properties.VisibilityTimeout,
            waitTime: properties.ReceiveMessageWaitTimeSeconds,
            largestMessage: properties.MaximumMessageSize,
            redrive: RedrivePolicy && {
              deadLetterArn: RedrivePolicy.deadLetterTargetArn,
              mostReceives: RedrivePolicy.maxReceiveCount,
            },
            createdAt: clock.now(),
          },
          onExhausted: (message) => queues.get(RedrivePolicy?.deadLetterTargetArn ?? "")?.move(message, queueArn),
        });
        queues.set(queueArn, opened);
        declared.set(opened, request);
        return {
          ref: opened.settings.url,
          attributes: { Arn: queueArn, QueueName: name, QueueUrl: opened.settings.url },
        };
      }),
      "AWS::SQS::QueuePolicy": declare(queuePolicy, ({ Queues, PolicyDocument }, request) => {
        if (!PolicyDocument.every((one) => isAboutEverybody(one) || admitsServices(one))) {
          const supported = "that deny something to everybody, or allow something to services";
          return refuse(request, `only statements ${supported}, are supported`);
        }
        for (const queueUrl of Queues) {
          const found = [...queues.values()].find(({ settings }) => settings.url === queueUrl);
          if (found === undefined) return refuse(request, `there is no queue ${queueUrl}`);
          const { arn: queueArn } = found.settings;
          policies.set(queueArn, [...(policies.get(queueArn) ?? []), ...PolicyDocument]);
        }
        return { ref: request.logicalId };
      }),
      "AWS::Lambda::EventSourceMapping": declare(mapping, (properties, request) => {
        mappings.push({ properties, request });
        return { ref: request.logicalId, attributes: { Id: request.logicalId } };
      }),
    },
    endpoint: sqsEndpoint({ queues, moves, authorize }),
    start: () => {
      for (const [{ settings }, request] of declared) {
        const { deadLetterArn } = settings.redrive ?? {};
        if (deadLetterArn !== undefined && !queues.has(deadLetterArn)) {
          refuse(request, `there is no queue ${deadLetterArn}`);
        }
      }
      for (const one of mappings) if (one.properties.Enabled) sources.push(openMapping(one));
    },
    opened: () => {
      for (const source of sources) source.start();
    },
    stop: async () => {
      moves.stop();
      await Promise.all(sources.map((source) => source.stop(PATIENCE)));
      for (const opened of queues.values()) opened.close();
    },
  };
};

import * as z from "zod";
import { account, arn } from "../account.ts";
import { policyDocument, type Statement, serviceMay } from "../iam/policy.ts";
import { declare, type ResourceRequest, refuse, type Service, tags } from "../service.ts";
import type { SendFromService } from "../sqs/service.ts";

const topic = z.strictObject({
  TopicName: z.string().optional(),
  /** Of mails, which are not sent here. */
  DisplayName: z.string().optional(),
  Tags: tags.optional(),
});

const topicPolicy = z.strictObject({ Topics: z.array(z.string()).min(1), PolicyDocument: policyDocument });

const subscription = z.discriminatedUnion("Protocol", [
  z.strictObject({
    Protocol: z.literal("sqs"),
    TopicArn: z.string(),
    Endpoint: z.string(),
    RawMessageDelivery: z.literal(true, "only raw messages are supported"),
    /** A queue takes every message here. */
    RedrivePolicy: z.strictObject({ deadLetterTargetArn: z.string() }).optional(),
  }),
  z.strictObject({ Protocol: z.literal("email"), TopicArn: z.string(), Endpoint: z.string() }),
]);

type Subscription = z.output<typeof subscription>;

/** In whose name a service publishes: its principal (`ses.amazonaws.com`), and the ARN of its resource. */
export interface Publisher {
  readonly service: string;
  readonly sourceArn: string;
}

export interface Topics {
  /** Why the publisher cannot publish to the topic; undefined if it can. */
  refusal(topicArn: string, by: Publisher): string | undefined;
  /** Gives a message to the queues that have subscribed to the topic. */
  publish(topicArn: string, body: string, by: Publisher): void;
}

/** SNS: topics to which other services publish, with subscriptions of queues. Subscriptions by mail have no effect. */
export const sns = ({ send }: { readonly send: SendFromService }): Service & { readonly topics: Topics } => {
  const policies = new Map<string, Statement[]>();
  const subscriptions: { properties: Subscription; request: ResourceRequest }[] = [];

  const topics: Topics = {
    refusal: (topicArn, { service, sourceArn }) => {
      const statements = policies.get(topicArn);
      if (statements === undefined) return `there is no topic ${topicArn}`;
      const context = {
        "aws:SourceArn": sourceArn,
        "aws:SourceAccount": account.id,
        "aws:SecureTransport": "true",
      };
      const isAllowed = serviceMay(statements, service, { action: "sns:Publish", resource: topicArn, context });
      return isAllowed ? undefined : `the topic ${topicArn} does not let ${service} publish for ${sourceArn}`;
    },
    publish: (topicArn, body, by) => {
      const refusal = topics.refusal(topicArn, by);
      if (refusal !== undefined) throw new Error(refusal);
      for (const { properties } of subscriptions) {
        if (properties.Protocol !== "sqs" || properties.TopicArn !== topicArn) continue;
        send({ queueArn: properties.Endpoint, body }, { service: "sns.amazonaws.com", sourceArn: topicArn });
      }
    },
  };

  return {
    topics,
    name: "sns",
    resources: {
      "AWS::SNS::Topic": declare(topic, ({ TopicName }, request) => {
        const name = TopicName ?? `${request.stack}-${request.logicalId}`;
        const topicArn = arn("sns", name);
        if (policies.has(topicArn)) return refuse(request, `the topic ${name} exists twice`);
        policies.set(topicArn, []);
        return { ref: topicArn, attributes: { TopicArn: topicArn, TopicName: name } };
      }),
      "AWS::SNS::TopicPolicy": declare(topicPolicy, ({ Topics, PolicyDocument }, request) => {
        for (const topicArn of Topics) {
          const found = policies.get(topicArn);
          if (found === undefined) return refuse(request, `there is no topic ${topicArn}`);
          found.push(...PolicyDocument);
        }
        return { ref: request.logicalId };
      }),
      "AWS::SNS::Subscription": declare(subscription, (properties, request) => {
        if (!policies.has(properties.TopicArn)) return refuse(request, `there is no topic ${properties.TopicArn}`);
        subscriptions.push({ properties, request });
        return { ref: `${properties.TopicArn}:${request.logicalId}` };
      }),
    },
    start: () => {
      for (const { properties, request } of subscriptions) {
        if (properties.Protocol !== "sqs") continue;
        const by = { service: "sns.amazonaws.com", sourceArn: properties.TopicArn };
        for (const queueArn of [properties.Endpoint, properties.RedrivePolicy?.deadLetterTargetArn]) {
          const refusal = queueArn === undefined ? undefined : send.refusal(queueArn, by);
          if (refusal !== undefined) refuse(request, refusal);
        }
      }
    },
  };
};

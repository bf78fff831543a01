import { expect, test } from "vitest";
import { runForTest } from "./run.ts";
import { attribute, ref, template } from "./stack.ts";

const queue = { Type: "AWS::SQS::Queue", Properties: { QueueName: "events" } };
const topic = { Type: "AWS::SNS::Topic", Properties: {} };
const subscription = {
  Type: "AWS::SNS::Subscription",
  Properties: { Protocol: "sqs", TopicArn: ref("Topic"), Endpoint: attribute("Queue"), RawMessageDelivery: true },
};

test("a subscription of a queue that does not admit the topic is refused", async () => {
  const app = template({ Queue: queue, Topic: topic, Subscription: subscription });
  await expect(runForTest({ app })).rejects.toThrow("does not let sns.amazonaws.com send for");
});

test("an event destination whose topic does not admit SES is refused", async () => {
  const set = { Type: "AWS::SES::ConfigurationSet", Properties: { Name: "mails" } };
  const destination = {
    Type: "AWS::SES::ConfigurationSetEventDestination",
    Properties: {
      ConfigurationSetName: ref("Set"),
      EventDestination: { MatchingEventTypes: ["bounce"], SnsDestination: { TopicARN: ref("Topic") } },
    },
  };
  const app = template({ Set: set, Topic: topic, Destination: destination });
  await expect(runForTest({ app })).rejects.toThrow("does not let ses.amazonaws.com publish for");
});

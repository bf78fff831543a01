import { expect, test } from "vitest";
import { synthesized } from "./synthesized.ts";

const { ofType } = synthesized();

const only = (type: string) => {
  const [one, ...others] = ofType(type).filter(({ stack }) => stack === "tenantry-dev-messaging");
  expect(others).toEqual([]);
  return one;
};

/** The statements of the policy of a queue or a topic that let a service do something. */
const admitted = (type: string) =>
  ofType(type)
    .filter(({ stack }) => stack === "tenantry-dev-messaging")
    .flatMap(({ properties }) => (properties.PolicyDocument as { Statement: Record<string, unknown>[] }).Statement)
    .filter(({ Effect }) => Effect === "Allow");

test("SES reports sends, deliveries, delays, bounces, complaints and rejections to a topic, and follows no openings", () => {
  expect(only("AWS::SES::ConfigurationSet")?.properties).toMatchObject({ Name: "tenantry-dev" });
  const destination = only("AWS::SES::ConfigurationSetEventDestination");
  expect(destination?.properties).toMatchObject({
    ConfigurationSetName: "tenantry-dev",
    EventDestination: {
      Enabled: true,
      MatchingEventTypes: ["send", "reject", "bounce", "complaint", "delivery", "deliveryDelay"],
      SnsDestination: { TopicARN: { Ref: only("AWS::SNS::Topic")?.id } },
    },
  });
});

test("the topic admits SES for the one configuration set of the account, and nobody else", () => {
  const statements = admitted("AWS::SNS::TopicPolicy");
  expect(statements).toMatchObject([
    {
      Action: "sns:Publish",
      Principal: { Service: "ses.amazonaws.com" },
      Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
    },
  ]);
  expect(JSON.stringify(statements)).toContain(":configuration-set/tenantry-dev");
  expect(JSON.stringify(only("AWS::SNS::TopicPolicy")?.properties)).toContain('"aws:SecureTransport":"false"');
});

test("the topic gives events unchanged to the queue, and what the queue does not take to its dead letters", () => {
  const topic = { Ref: only("AWS::SNS::Topic")?.id };
  const queueOf = (name: string) =>
    ofType("AWS::SQS::Queue").find(({ properties }) => properties.QueueName === name)?.id;
  const arnOf = (name: string) => ({ "Fn::GetAtt": [queueOf(name), "Arn"] });
  const [queue, dead] = [arnOf("tenantry-dev-ses-event"), arnOf("tenantry-dev-ses-event-dead-letters")];
  expect(only("AWS::SNS::Subscription")?.properties).toMatchObject({
    Protocol: "sqs",
    TopicArn: topic,
    Endpoint: queue,
    RawMessageDelivery: true,
    RedrivePolicy: { deadLetterTargetArn: dead },
  });
  const may = (Resource: object) => ({
    Action: "sqs:SendMessage",
    Principal: { Service: "sns.amazonaws.com" },
    Resource,
    Condition: { ArnEquals: { "aws:SourceArn": topic } },
  });
  const statements = admitted("AWS::SQS::QueuePolicy");
  expect(statements).toHaveLength(2);
  expect(statements).toEqual(
    expect.arrayContaining([expect.objectContaining(may(queue)), expect.objectContaining(may(dead))]),
  );
});

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Match, Template } from "aws-cdk-lib/assertions";
import { afterAll, expect, test } from "vitest";
import { queueApp } from "./queue-stack.ts";

const directory = mkdtempSync(join(tmpdir(), "tenantry-queue-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const template = (() => Template.fromStack(queueApp(directory).stack))();
const idOf = (type: string, properties: Record<string, unknown>): string =>
  Object.keys(template.findResources(type, { Properties: properties }))[0] ?? "";
const queueId = idOf("AWS::SQS::Queue", { QueueName: "tenantry-dev-greetings" });
const deadId = idOf("AWS::SQS::Queue", { QueueName: "tenantry-dev-greetings-dead-letters" });

test("a queue keeps messages for 14 days, encrypted, and gives up those that were received five times", () => {
  template.hasResourceProperties("AWS::SQS::Queue", {
    QueueName: "tenantry-dev-greetings",
    MessageRetentionPeriod: 1_209_600,
    SqsManagedSseEnabled: true,
    VisibilityTimeout: 180,
    RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": [deadId, "Arn"] }, maxReceiveCount: 5 },
  });
  template.hasResourceProperties("AWS::SQS::Queue", {
    QueueName: "tenantry-dev-greetings-dead-letters",
    MessageRetentionPeriod: 1_209_600,
    SqsManagedSseEnabled: true,
  });
});

test("both queues refuse requests without TLS", () => {
  for (const id of [queueId, deadId]) {
    template.hasResourceProperties("AWS::SQS::QueuePolicy", {
      Queues: [{ Ref: id }],
      PolicyDocument: {
        Statement: [
          {
            Effect: "Deny",
            Principal: { AWS: "*" },
            Action: "sqs:*",
            Resource: { "Fn::GetAtt": [id, "Arn"] },
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          },
        ],
      },
    });
  }
});

test("its function gets one message at a time, reports the failed ones, and runs at most twenty times at once", () => {
  template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
    EventSourceArn: { "Fn::GetAtt": [queueId, "Arn"] },
    BatchSize: 1,
    FunctionResponseTypes: ["ReportBatchItemFailures"],
    ScalingConfig: { MaximumConcurrency: 20 },
  });
  template.hasResourceProperties("AWS::Lambda::Function", {
    FunctionName: "tenantry-dev-greetings",
    RecursiveLoop: "Allow",
    Environment: {
      Variables: {
        GREETINGS_QUEUE_URL: {
          "Fn::Join": [
            "",
            [
              "https://sqs.",
              { Ref: "AWS::Region" },
              ".",
              { Ref: "AWS::URLSuffix" },
              "/",
              { Ref: "AWS::AccountId" },
              "/tenantry-dev-greetings",
            ],
          ],
        },
      },
    },
  });
});

test("the role of its function may receive from its queue and send to it, and reach no other queue", () => {
  const arn = {
    "Fn::Join": [
      "",
      [
        "arn:",
        { Ref: "AWS::Partition" },
        ":sqs:",
        { Ref: "AWS::Region" },
        ":",
        { Ref: "AWS::AccountId" },
        ":tenantry-dev-greetings",
      ],
    ],
  };
  const received = ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"];
  template.resourceCountIs("AWS::IAM::Role", 1);
  template.hasResourceProperties("AWS::IAM::Role", {
    Policies: [
      {
        PolicyDocument: {
          Statement: Match.arrayWith([
            { Effect: "Allow", Action: "sqs:SendMessage", Resource: arn },
            { Effect: "Allow", Action: received.map((action) => `sqs:${action}`), Resource: arn },
          ]),
        },
      },
    ],
  });
});

test.each([
  ["messages that wait longer than 15 minutes", "ApproximateAgeOfOldestMessage", () => queueId, 900, "queue-backlog"],
  ["too many messages", "ApproximateNumberOfMessagesVisible", () => queueId, 250_000, "queue-backlog"],
  ["dead letters", "ApproximateNumberOfMessagesVisible", () => deadId, 1, "dead-letters"],
])("an alarm tells of %s, with the impact and the runbook", (_, MetricName, id, Threshold, anchor) => {
  template.hasResourceProperties("AWS::CloudWatch::Alarm", {
    MetricName,
    Threshold,
    Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": [id(), "QueueName"] } }],
    AlarmDescription: Match.stringLikeRegexp(`^Impact: .* nobody is greeted\\. Runbook: docs/runbook\\.md#${anchor}$`),
  });
  const heading = { "queue-backlog": "Queue backlog", "dead-letters": "Dead letters" }[anchor];
  expect(readFileSync("docs/runbook.md", "utf8")).toContain(`\n## ${heading}\n`);
});

test("a queue without a contract, and a contract without a worker, do not synthesize", () => {
  const worker = { needs: {}, impact: "nobody is greeted." };
  expect(() => queueApp(directory, { workers: { greetings: worker, other: worker } })).toThrow(
    "The queue other has no contract",
  );
  expect(() => queueApp(directory, { workers: {} })).toThrow("does not say what the queue greetings needs");
});

test("the rules of cdk-nag and CloudFormation find nothing wrong with a queue", () => {
  const outdir = mkdtempSync(join(tmpdir(), "tenantry-synth-"));
  const { app } = queueApp(directory, { checks: true, outdir });
  expect(() => app.synth()).not.toThrow();
  const report = JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8"));
  expect(report.pluginReports.flatMap(({ violations }: { violations: unknown[] }) => violations)).toEqual([]);
  rmSync(outdir, { recursive: true });
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { synthesized } from "./synthesized.ts";

const { ofType, functions } = synthesized({ alarmEmail: "ops@example.com" });
const alarms = ofType("AWS::CloudWatch::Alarm");

/** The anchors of the runbook's headings in rendered Markdown. */
const anchors = [...readFileSync("docs/runbook.md", "utf8").matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) =>
  String(heading)
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-"),
);

test("every alarm states its impact and refers to an entry of the runbook", () => {
  for (const alarm of alarms) {
    const description = String(alarm.properties.AlarmDescription);
    const [, impact, anchor] = /^Impact: (.{20,}\.) Runbook: docs\/runbook\.md#([a-z-]+)$/.exec(description) ?? [];
    expect(impact, `${alarm.id}: ${description}`).toBeTruthy();
    expect(anchors).toContain(anchor);
  }
});

test("every alarm notifies the operators when it starts and when it ends", () => {
  for (const { id, properties } of alarms) {
    expect(JSON.stringify(properties.AlarmActions), id).toContain("alarmtopicarn");
    expect(properties.OKActions, id).toEqual(properties.AlarmActions);
  }
});

test("every function that fails repeatedly raises an alarm", () => {
  const watched = alarms
    .filter((alarm) => alarm.properties.MetricName === "Errors")
    .map((alarm) => JSON.stringify(alarm.properties.Dimensions));
  for (const { id, name } of functions) {
    expect(watched, name).toContain(JSON.stringify([{ Name: "FunctionName", Value: { Ref: id } }]));
  }
});

test("a message of which nobody knows whether it was sent raises an alarm, by the line that its worker logs", () => {
  const [filter] = ofType("AWS::Logs::MetricFilter").filter(({ properties }) =>
    String(properties.FilterPattern).includes("message-unknown"),
  );
  expect(filter?.properties.FilterPattern).toBe('{ $.alarm = "message-unknown" }');
  const [{ MetricName = "" } = {}] = (filter?.properties.MetricTransformations ?? []) as { MetricName: string }[];
  expect(alarms.filter(({ properties }) => properties.MetricName === MetricName)).toHaveLength(1);
});

test("failures that never reach a function are visible at the API", () => {
  const metrics = alarms
    .filter((alarm) => alarm.stack === "tenantry-dev-core")
    .map((alarm) => alarm.properties.MetricName);
  expect(metrics).toEqual(expect.arrayContaining(["5xx", "Latency", "Throttles", "ClaimedAccountConcurrency"]));
});

test("the topic accepts messages from the account's alarms, over TLS only, and sends them to the operators", () => {
  const [policy] = ofType("AWS::SNS::TopicPolicy");
  const document = JSON.stringify(policy?.properties.PolicyDocument);
  expect(document).toContain('"Principal":{"Service":"cloudwatch.amazonaws.com"}');
  expect(document).toContain('"aws:SecureTransport":"false"');
  const subscriptions = ofType("AWS::SNS::Subscription").map(({ properties }) => properties);
  expect(subscriptions.filter(({ Protocol }) => Protocol === "email")).toMatchObject([{ Endpoint: "ops@example.com" }]);
});

import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { describe, expect, test } from "vitest";
import { runForTest, sdkSettings } from "./run.ts";
import { attribute, httpApi, lambdaFunction, ref, route, template } from "./stack.ts";

const variables = async (templates: Record<string, unknown>) => {
  const platform = await runForTest(templates);
  const lambda = new LambdaClient(sdkSettings(platform));
  const { Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: "Function", Payload: '{"do":"environment"}' }),
  );
  return { platform, values: JSON.parse(Payload?.transformToString() ?? "{}") };
};

const withVariables = (Variables: Record<string, unknown>, more: object = {}) => ({
  ...template(lambdaFunction("Function", { Environment: { Variables } })),
  ...more,
});

const parameter = (Name: unknown, Value: unknown) => ({
  Type: "AWS::SSM::Parameter",
  Properties: { Name, Type: "String", Value },
});
const fromParameter = (Default: string) => ({ Type: "AWS::SSM::Parameter::Value<String>", Default });

describe("intrinsics", () => {
  test("are resolved as in CloudFormation", async () => {
    const { values } = await variables({
      app: withVariables(
        {
          JOIN: { "Fn::Join": ["-", ["a", { "Fn::Select": ["1", { "Fn::Split": [",", "x,y,z"] }] }]] },
          SUB: { "Fn::Sub": ["${AWS::StackName} ${!Literal} ${Given}", { Given: ref("Number") }] },
          WHEN: { "Fn::If": ["IsLocal", "local", "elsewhere"] },
          GONE: { "Fn::If": ["IsNot", "there", ref("AWS::NoValue")] },
          MAPPED: { "Fn::FindInMap": ["Sizes", ref("AWS::Region"), "small"] },
          ARN: { "Fn::Sub": "${FunctionRole.Arn}" },
        },
        {
          Parameters: { Number: { Type: "Number", Default: 7 } },
          Mappings: { Sizes: { "us-east-1": { small: "s" } } },
          Conditions: {
            IsLocal: {
              "Fn::And": [{ "Fn::Equals": [ref("AWS::Region"), "us-east-1"] }, { "Fn::Not": [{ Condition: "IsNot" }] }],
            },
            IsNot: { "Fn::Or": [{ "Fn::Equals": ["a", "b"] }] },
          },
        },
      ),
    });
    expect(values).toMatchObject({
      JOIN: "a-y",
      SUB: "app ${Literal} 7",
      WHEN: "local",
      MAPPED: "s",
      ARN: "arn:aws:iam::000000000000:role/app-FunctionRole",
    });
    expect(values).not.toHaveProperty("GONE");
  });

  test("resources under a false condition do not exist", async () => {
    const conditional = {
      Conditions: { Never: { "Fn::Equals": ["a", "b"] } },
      Resources: { Queue: { ...parameter("/never", "x"), Condition: "Never" } },
    };
    const reader = { ...withVariables({ A: ref("Value") }), Parameters: { Value: fromParameter("/never") } };
    await expect(runForTest({ conditional, reader })).rejects.toThrow("no stack creates the SSM parameter /never");
  });

  test.each([
    [{ "Fn::Base64": "x" }, "app/Function (AWS::Lambda::Function): the intrinsic Fn::Base64 is not supported"],
    [{ "Fn::Transform": {} }, "Fn::Transform"],
    ["{{resolve:ssm:/a}}", "the dynamic reference {{resolve:ssm:/a}} is not supported"],
    [ref("Nothing"), "nothing is named Nothing"],
    [attribute("FunctionRole", "Nothing"), "FunctionRole has no attribute Nothing here"],
    [{ "Fn::ImportValue": "nothing" }, "no stack exports nothing"],
  ])("%j is refused where it stands", async (value, message) => {
    await expect(runForTest({ app: withVariables({ A: value }) })).rejects.toThrow(message);
  });
});

describe("several stacks", () => {
  test("are created in the order of their parameters and exports", async () => {
    const { values, platform } = await variables({
      late: {
        ...withVariables({ KEY: ref("Shared"), URL: { "Fn::ImportValue": "api-url" } }),
        Parameters: { Shared: fromParameter("/shared/key") },
      },
      middle: {
        ...template(httpApi(), { Shared: parameter("/shared/key", ref("Source")) }),
        Parameters: { Source: fromParameter("/source") },
        Outputs: { Url: { Value: attribute("Api", "ApiEndpoint"), Export: { Name: "api-url" } } },
      },
      early: template({ Source: parameter("/source", "from the first") }),
    });
    expect(values).toMatchObject({ KEY: "from the first", URL: platform.url });
  });

  test("with a circular dependency are refused", async () => {
    const stack = (own: string, other: string) => ({
      ...template({ Own: parameter(own, ref("Other")) }),
      Parameters: { Other: fromParameter(other) },
    });
    await expect(runForTest({ one: stack("/1", "/2"), two: stack("/2", "/1") })).rejects.toThrow(
      "circle: one → two → one",
    );
  });

  test("resources with a circular dependency are refused", async () => {
    const app = template({ A: parameter("/a", ref("B")), B: parameter("/b", ref("A")) });
    await expect(runForTest({ app })).rejects.toThrow("resources of app need each other in a circle: A → B → A");
  });

  test("alarms, topics of alarms, log groups and metadata have no effect", async () => {
    await runForTest({
      app: template({
        Topic: { Type: "AWS::SNS::Topic", Properties: {} },
        TopicPolicy: {
          Type: "AWS::SNS::TopicPolicy",
          Properties: { Topics: [ref("Topic")], PolicyDocument: { Statement: [] } },
        },
        Alarm: { Type: "AWS::CloudWatch::Alarm", Properties: { AlarmActions: [ref("Topic")] } },
        Logs: { Type: "AWS::Logs::LogGroup", Properties: { RetentionInDays: 30 }, DeletionPolicy: "Delete" },
        LogsArn: parameter("/logs", attribute("Logs")),
        Metadata: { Type: "AWS::CDK::Metadata", Properties: { Analytics: "v2" } },
      }),
    });
  });
});

describe("an unsupported part of a template stops the start and is named", () => {
  test("every unknown type, with its stack and logical id", async () => {
    const one = template({ Stream: { Type: "AWS::Kinesis::Stream" }, Table: { Type: "AWS::DynamoDB::Table" } });
    const two = template({ Rule: { Type: "AWS::Events::Rule" } });
    await expect(runForTest({ one, two })).rejects.toMatchObject({
      name: "Refusal",
      message:
        "The local platform does not support AWS::Kinesis::Stream (one/Stream), AWS::DynamoDB::Table (one/Table), " +
        "AWS::Events::Rule (two/Rule).",
    });
  });

  test.each([
    [{ Runtime: "nodejs22.x" }, "property Runtime: must be nodejs24.x"],
    [{ Handler: "other.handler" }, "property Handler: must name an export of index"],
    [{ Layers: [] }, 'unrecognized key: "Layers"'],
    [{ VpcConfig: {} }, 'unrecognized key: "VpcConfig"'],
    [{ Timeout: 901 }, "property Timeout"],
  ])("a function with %j", async (properties, reason) => {
    const app = template(lambdaFunction("Function", properties));
    await expect(runForTest({ app })).rejects.toThrow(`app/Function (AWS::Lambda::Function): ${reason}`);
  });

  test.each([
    ["AProbeIntegration", { IntegrationType: "HTTP_PROXY" }, "only AWS_PROXY runs here"],
    ["AProbeIntegration", { PayloadFormatVersion: "1.0" }, "only payload format 2.0 runs here"],
    ["AProbeIntegration", { RequestParameters: {} }, 'unrecognized key: "RequestParameters"'],
    ["AProbeRoute", { AuthorizationType: "JWT" }, "authorizers do not run here"],
    ["AProbeRoute", { RouteKey: "FETCH /a" }, "the route key FETCH /a is not understood"],
    ["Api", { ProtocolType: "WEBSOCKET" }, "only HTTP APIs run here"],
    ["Stage", { StageName: "v1" }, "only the stage $default runs here"],
    ["Stage", { AutoDeploy: false }, "no route is ever deployed"],
  ])("%s with %j", async (logicalId, properties, reason) => {
    const all = template(httpApi(), lambdaFunction("Function"), route("AProbe", "GET /a", "Function"));
    const resources = all.Resources as Record<string, { Properties: object }>;
    const changed = { ...resources[logicalId], Properties: { ...resources[logicalId]?.Properties, ...properties } };
    const app = { Resources: { ...resources, [logicalId]: changed } };
    await expect(runForTest({ app })).rejects.toThrow(
      new RegExp(`app/${logicalId} \\(.*${reason.replaceAll("$", "\\$")}`),
    );
  });

  test("a template's unknown section or resource attribute", async () => {
    await expect(runForTest({ app: { Transform: "AWS::Serverless-2016-10-31" } })).rejects.toThrow("template of app");
    const resource = { ...parameter("/a", "b"), CreationPolicy: {} };
    await expect(runForTest({ app: template({ A: resource }) })).rejects.toThrow("CreationPolicy");
  });

  test("a function without code at the path in the template", async () => {
    const all = lambdaFunction("Function");
    const without = { ...all.Function, Metadata: {} };
    await expect(runForTest({ app: template(all, { Function: without }) })).rejects.toThrow(
      "does not say where its code is",
    );
    const elsewhere = { ...all.Function, Metadata: { "aws:asset:path": "/nowhere" } };
    await expect(runForTest({ app: template(all, { Function: elsewhere }) })).rejects.toThrow(
      "no index.mjs in /nowhere",
    );
  });

  test("an API without a stage, and two routes with one key", async () => {
    const api = httpApi();
    await expect(runForTest({ app: { Resources: { Api: api.Api } } })).rejects.toThrow("has no stage");
    const app = template(api, lambdaFunction("F"), route("One", "GET /a", "F"), route("Two", "GET /a", "F"));
    await expect(runForTest({ app })).rejects.toThrow("the route GET /a exists twice");
  });
});

test("a failed start leaves nothing open", async () => {
  const { createServer } = await import("node:net");
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await expect(runForTest({ app: template() }, { port })).rejects.toMatchObject({
    name: "Refusal",
    message: `Port ${port} is already in use; stop what uses it, or choose another one with PORT=… or --port.`,
  });
  await new Promise((resolve) => probe.close(resolve));
  const broken = template({ Stream: { Type: "AWS::Kinesis::Stream" } });
  await expect(runForTest({ app: broken }, { port })).rejects.toThrow("AWS::Kinesis::Stream");
  await runForTest({ app: template() }, { port });
});

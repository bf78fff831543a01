import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { expect } from "vitest";
import type { Platform } from "../../infra/local/platform.ts";
import { sdkSettings } from "./run.ts";
import { allow, attribute, lambdaFunction, template } from "./stack.ts";

type Json = Readonly<Record<string, unknown>>;

/** A Task state that invokes the function `Task` with the payload. */
export const task = (payload: Json, rest: Json = { End: true }): Json => ({
  Type: "Task",
  Resource: "arn:aws:states:::lambda:invoke",
  Parameters: { FunctionName: "Task", Payload: payload },
  ResultSelector: { "result.$": "$.Payload" },
  ...rest,
});

/** A machine of one state, `Only`. */
export const only = (state: Json, rest: Json = {}): Json => ({ StartAt: "Only", States: { Only: state }, ...rest });

export const stateMachine = (name: string, definition: Json, rest: Json = {}) => ({
  [name]: {
    Type: "AWS::StepFunctions::StateMachine",
    Properties: {
      StateMachineName: name,
      DefinitionString: JSON.stringify(definition),
      RoleArn: attribute("MachineRole"),
      ...rest,
    },
  },
});

const role = (statements: Json[]) => ({
  MachineRole: {
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "states.amazonaws.com" } }],
      },
      Policies: [{ PolicyName: "invoke", PolicyDocument: { Version: "2012-10-17", Statement: statements } }],
    },
  },
});

/** A stack of state machines and the function `Task`. `Forbidden` is a function that they may not invoke. */
export const machines = (definitions: Readonly<Record<string, Json>>, calls = "") => ({
  workflows: template(
    lambdaFunction("Task", { handler: "task", Environment: { Variables: { CALLS: calls } } }),
    lambdaFunction("Forbidden", { handler: "task" }),
    role([allow("lambda:InvokeFunction", attribute("Task"))]),
    ...Object.entries(definitions).map(([name, definition]) => stateMachine(name, definition)),
  ),
});

export const machineArn = (name: string): string => `arn:aws:states:us-east-1:000000000000:stateMachine:${name}`;

/** A client of Step Functions, with short forms of what tests do. */
export const workflows = (platform: Platform) => {
  const client = new SFNClient(sdkSettings(platform));
  const start = async (machine: string, input: unknown = {}, name?: string): Promise<string> => {
    const { executionArn = "" } = await client.send(
      new StartExecutionCommand({
        stateMachineArn: machineArn(machine),
        input: JSON.stringify(input),
        ...(name !== undefined && { name }),
      }),
    );
    return executionArn;
  };
  const describe = (executionArn: string) => client.send(new DescribeExecutionCommand({ executionArn }));
  const history = async (executionArn: string): Promise<HistoryEvent[]> =>
    (await client.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }))).events ?? [];
  const ended = async (executionArn: string) => {
    await expect
      .poll(async () => (await describe(executionArn)).status, { interval: 5, timeout: 120_000 })
      .not.toBe("RUNNING");
    const { status, output, error, cause } = await describe(executionArn);
    return {
      status,
      ...(output !== undefined && { output: JSON.parse(output) as unknown }),
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    };
  };
  /** Waits until the history has so many events of a type. */
  const reached = (executionArn: string, type: string, count = 1) =>
    expect
      .poll(async () => (await history(executionArn)).filter((event) => event.type === type).length, {
        interval: 5,
        timeout: 120_000,
      })
      .toBe(count);
  return {
    client,
    start,
    describe,
    history,
    ended,
    reached,
    run: async (machine: string, input: unknown = {}) => ended(await start(machine, input)),
  };
};

import { appendFileSync, cpSync, existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DescribeStateMachineCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { functionCaller } from "./function-caller.ts";
import { type Running, run, runForTest, temporaryDirectory } from "./run.ts";
import { allow, lambdaFunction } from "./stack.ts";
import { machineArn, machines, only, task, workflows } from "./state-machines.ts";

const waits = only({ Type: "Wait", Seconds: 3600, End: true });
const caught = [{ ErrorEquals: ["States.ALL"], Next: "Caught" }];
const Caught = { Type: "Pass", End: true };

const definitions = {
  Waits: waits,
  Lists: waits,
  Echo: only({ Type: "Pass", End: true }),
  Stopped: {
    StartAt: "Work",
    States: { Work: task({ ms: 60_000 }, { Catch: caught, End: true }), Caught },
  },
  Denied: waits,
};

let platform: Running;
let api: ReturnType<typeof workflows>;

beforeAll(async () => {
  const { workflows: stack } = machines(definitions);
  const starter = lambdaFunction("Starter", {
    statements: [allow("states:StartExecution", machineArn("Waits")), allow("states:DescribeExecution", "*")],
  });
  platform = await run({ workflows: stack, callers: { Resources: starter } });
  api = workflows(platform);
});
afterAll(() => platform.stop());

describe("StartExecution", () => {
  test("with the name and input of a running execution answers with that execution", async () => {
    const ask = new StartExecutionCommand({ stateMachineArn: machineArn("Waits"), name: "same", input: '{"a":1}' });
    const [one, other] = await Promise.all([api.client.send(ask), api.client.send(ask)]);
    expect(one.executionArn).toBe("arn:aws:states:us-east-1:000000000000:execution:Waits:same");
    expect([other.executionArn, other.startDate]).toEqual([one.executionArn, one.startDate]);
    const listed = await api.client.send(new ListExecutionsCommand({ stateMachineArn: machineArn("Waits") }));
    expect(listed.executions?.filter(({ name }) => name === "same")).toHaveLength(1);
  });

  test("with a used name is refused for another input, and after the end", async () => {
    await api.start("Waits", { a: 1 }, "used");
    await expect(api.start("Waits", { a: 2 }, "used")).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
    await api.ended(await api.start("Echo", {}, "ended"));
    await expect(api.start("Echo", {}, "ended")).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
  });

  test("refuses input that is too large or not JSON, a bad name and an unknown state machine", async () => {
    const stateMachineArn = machineArn("Echo");
    const send = (input: object) => api.client.send(new StartExecutionCommand({ stateMachineArn, ...input }));
    expect((await send({ input: `"${"x".repeat(262_142)}"` })).executionArn).toBeTruthy();
    await expect(send({ input: `"${"x".repeat(262_143)}"` })).rejects.toMatchObject({ name: "ValidationException" });
    await expect(send({ input: `"${"é".repeat(131_072)}"` })).rejects.toMatchObject({ name: "ValidationException" });
    await expect(send({ input: "{" })).rejects.toMatchObject({ name: "InvalidExecutionInput" });
    await expect(send({ name: "a b" })).rejects.toMatchObject({ name: "InvalidName" });
    await expect(api.start("Nothing")).rejects.toMatchObject({ name: "StateMachineDoesNotExist" });
  });
});

test("StopExecution ends a running task's execution without Catch, and an ended execution stays as it is", async () => {
  const executionArn = await api.start("Stopped");
  await api.reached(executionArn, "TaskStarted");
  const stop = (error: string) => api.client.send(new StopExecutionCommand({ executionArn, error, cause: "by hand" }));
  const { stopDate } = await stop("Unwanted");
  expect(await api.ended(executionArn)).toEqual({ status: "ABORTED", error: "Unwanted", cause: "by hand" });
  expect((await stop("Again")).stopDate).toEqual(stopDate);
  expect((await api.describe(executionArn)).error).toBe("Unwanted");
  expect((await api.history(executionArn)).map(({ type }) => type).slice(-2)).toEqual([
    "TaskStarted",
    "ExecutionAborted",
  ]);
});

test("executions and state machines are listed and described, in pages", async () => {
  const stateMachineArn = machineArn("Lists");
  const started = [];
  for (const name of ["first", "second", "third"]) started.push(await api.start("Lists", {}, name));
  await api.client.send(new StopExecutionCommand({ executionArn: started[1] }));
  const list = (input: object) => api.client.send(new ListExecutionsCommand({ stateMachineArn, ...input }));
  expect((await list({ statusFilter: "ABORTED" })).executions?.map(({ name }) => name)).toEqual(["second"]);
  const { executions, nextToken } = await list({ maxResults: 2 });
  const rest = await list({ maxResults: 2, nextToken });
  const names = [...(executions ?? []), ...(rest.executions ?? [])].map(({ name }) => name);
  expect([executions?.length, rest.nextToken, names.toSorted()]).toEqual([2, undefined, ["first", "second", "third"]]);

  const all = await api.client.send(new ListStateMachinesCommand({}));
  expect(all.stateMachines?.map(({ name }) => name)).toEqual(Object.keys(definitions));
  const described = await api.client.send(new DescribeStateMachineCommand({ stateMachineArn }));
  expect(described).toMatchObject({ name: "Lists", status: "ACTIVE", type: "STANDARD" });
  expect(JSON.parse(described.definition ?? "")).toEqual(waits);

  const executionArn = started[0] ?? "";
  const latest = new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 });
  expect((await api.client.send(latest)).events?.map(({ type }) => type)).toEqual(["WaitStateEntered"]);
});

test("a function may start and stop what its role allows and nothing else", async () => {
  const client = new SFNClient(await functionCaller(platform).as("Starter"));
  const start = (name: string) => client.send(new StartExecutionCommand({ stateMachineArn: machineArn(name) }));
  const { executionArn } = await start("Waits");
  await expect(start("Denied")).rejects.toMatchObject({
    name: "AccessDeniedException",
    message: expect.stringContaining(`states:StartExecution on resource: ${machineArn("Denied")}`),
  });
  await expect(client.send(new StopExecutionCommand({ executionArn }))).rejects.toThrow("states:StopExecution");
});

describe("after a restart", () => {
  const each = {
    Type: "Map",
    ItemsPath: "$.items",
    ItemProcessor: {
      StartAt: "One",
      States: { One: task({ "id.$": "$.id", "ms.$": "$.ms", "result.$": "$.id" }) },
    },
    ResultPath: "$.each",
    Next: "Last",
  };
  const steps = {
    StartAt: "Before",
    States: {
      Before: task({ id: "before", result: 1 }, { Next: "Each", ResultPath: "$.before" }),
      Each: each,
      Last: task({ id: "last", result: 2 }, { End: true, ResultPath: "$.last" }),
    },
  };
  const lines = (file: string): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);

  test("of a killed platform a running execution goes on from its last completed states", async () => {
    const [dataDir, killedDir] = [temporaryDirectory(), temporaryDirectory()];
    const calls = join(killedDir, "calls");
    const stack = machines({ Steps: steps }, calls);
    const first = await runForTest(stack, { dataDir });
    const before = workflows(first);
    const items = [
      { id: "quick", ms: 0 },
      { id: "slow", ms: 1500 },
    ];
    const executionArn = await before.start("Steps", { items }, "killed");
    await before.reached(executionArn, "MapIterationSucceeded");
    // What a SIGKILL at this moment would leave, with a line that was being written.
    const copy = join(killedDir, "data");
    for (const name of ["platform", "tenantry-data.json"]) {
      cpSync(join(dataDir, name), join(copy, name), { recursive: true });
    }
    const [file = ""] = globSync(join(copy, "platform", "stepfunctions", "*.jsonl"));
    appendFileSync(file, '{"key":"1.0[1]/0.0.do');
    await first.stop();
    const called = lines(calls);
    expect(called).toEqual(["before", "quick", "slow"]);

    const second = workflows(await runForTest(stack, { dataDir: copy }));
    expect(await second.ended(executionArn)).toEqual({
      status: "SUCCEEDED",
      output: { items, before: { result: 1 }, each: [{ result: "quick" }, { result: "slow" }], last: { result: 2 } },
    });
    expect(lines(calls).slice(called.length)).toEqual(["slow", "last"]);
    const ids = (await second.history(executionArn)).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
  });

  test("an execution goes on with the definition of its start, and ended ones can still be read", async () => {
    const dataDir = temporaryDirectory();
    const first = await runForTest(machines({ Steps: only({ Type: "Wait", Seconds: 1, End: true }) }), { dataDir });
    const ended = await workflows(first).start("Steps", { kept: true }, "ended");
    await workflows(first).ended(ended);
    const running = await workflows(first).start("Steps", { old: true }, "running");
    await first.stop();

    const changed = only({ Type: "Fail", Error: "New" });
    const second = workflows(await runForTest(machines({ Steps: changed }), { dataDir }));
    expect(await second.ended(ended)).toEqual({ status: "SUCCEEDED", output: { kept: true } });
    expect(await second.ended(running)).toEqual({ status: "SUCCEEDED", output: { old: true } });
    expect(await second.run("Steps")).toEqual({ status: "FAILED", error: "New" });
    await expect(second.start("Steps", {}, "ended")).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
  });
});

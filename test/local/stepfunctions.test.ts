import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { type Running, run } from "./run.ts";
import { machines, only, task, workflows } from "./state-machines.ts";

const clock = fakeClock();
let platform: Running;
let api: ReturnType<typeof workflows>;

const caught = (Next = "Caught", ErrorEquals = ["States.ALL"]) => [{ ErrorEquals, Next, ResultPath: "$.failure" }];
const Caught = { Type: "Pass", End: true };
const catching = (state: object, rest: object = {}) => ({
  StartAt: "Only",
  States: { Only: { ...state, Catch: caught() }, Caught },
  ...rest,
});

const definitions = {
  Flow: {
    StartAt: "First",
    States: {
      First: {
        Type: "Pass",
        Parameters: {
          "name.$": "$.customer.name",
          "execution.$": "$$.Execution.Name",
          "state.$": "$$.State.Name",
          "line.$": "States.Format('{} has {}', $.customer.name, States.ArrayLength($.customer.orders))",
          "prices.$": "$.customer.orders[*].price",
          fixed: [1, { "two.$": "States.MathAdd(1, 1)" }],
        },
        ResultPath: "$.summary",
        Next: "Which",
      },
      Which: {
        Type: "Choice",
        Choices: [
          {
            And: [
              { Variable: "$.customer.orders[0].price", NumericGreaterThan: 5 },
              { Not: { Variable: "$.customer.closed", IsPresent: true } },
              { Or: [{ Variable: "$.customer.name", StringMatches: "A*a" }] },
            ],
            Next: "Pause",
          },
        ],
        Default: "Small",
      },
      Pause: { Type: "Wait", SecondsPath: "$.pause", Next: "Work" },
      Work: task({ "result.$": "$.summary.line" }, { Next: "Done", ResultPath: "$.work" }),
      Done: { Type: "Succeed", OutputPath: "$.work.result" },
      Small: { Type: "Fail", Error: "TooSmall", CausePath: "$.customer.name" },
    },
  },
  Sides: only({
    Type: "Parallel",
    Branches: [
      { StartAt: "Left", States: { Left: task({ result: "left" }) } },
      { StartAt: "Right", States: { Right: { Type: "Pass", Result: "right", End: true } } },
    ],
    ResultSelector: { "left.$": "$[0].result", "right.$": "$[1]" },
    End: true,
  }),
  Each: only({
    Type: "Map",
    ItemsPath: "$.items",
    ItemSelector: { "value.$": "$$.Map.Item.Value", "index.$": "$$.Map.Item.Index", "all.$": "$.items" },
    MaxConcurrency: 2,
    ItemProcessor: {
      ProcessorConfig: { Mode: "INLINE" },
      StartAt: "One",
      States: {
        One: task(
          { "result.$": "States.Format('{}-{}', $.index, $.value)" },
          { OutputPath: "$.result", ResultPath: "$", End: true },
        ),
      },
    },
    End: true,
  }),
  FailingMap: catching({
    Type: "Map",
    ItemsPath: "$.items",
    ItemProcessor: {
      StartAt: "One",
      States: { One: task({ "id.$": "$.id", "fail.$": "$.fail", "ms.$": "$.ms" }) },
    },
    End: true,
  }),
  Retried: only(
    task(
      { fail: "Busy", "times.$": "$.times", "attempt.$": "$$.State.RetryCount", result: "at last" },
      {
        Retry: [{ ErrorEquals: ["Busy"], IntervalSeconds: 2, BackoffRate: 3, MaxDelaySeconds: 10, MaxAttempts: 3 }],
        OutputPath: "$.result",
        End: true,
      },
    ),
  ),
  Jittered: only(
    task(
      { fail: "Busy", times: 1, "attempt.$": "$$.State.RetryCount", result: "at last" },
      { Retry: [{ ErrorEquals: ["States.TaskFailed"], IntervalSeconds: 100, JitterStrategy: "FULL" }], End: true },
    ),
  ),
  Caught: catching(task({ fail: "Refused" })),
  Late: catching(task({ ms: 60_000 }, { TimeoutSeconds: 10, End: true })),
  TooLate: catching(task({ ms: 60_000 }), { TimeoutSeconds: 30 }),
  Denied: catching({ ...task({}), Parameters: { FunctionName: "Forbidden" } }),
  Large: catching(task({ size: 262_144 })),
  LostPath: catching(task({ "id.$": "$.nowhere" })),
  Endless: { StartAt: "Again", States: { Again: { Type: "Pass", Next: "Again" } } },
};

beforeAll(async () => {
  platform = await run(machines(definitions), { clock });
  api = workflows(platform);
});
afterAll(() => platform.stop());

const ada = { name: "Ada", orders: [{ price: 7 }, { price: 3 }] };

describe("an execution", () => {
  test("goes through Pass, Choice, Wait, Task and Succeed with paths, intrinsic functions and the context", async () => {
    const execution = await api.start("Flow", { customer: ada, pause: 90 }, "flow-one");
    await api.reached(execution, "WaitStateEntered");
    clock.advance(89_999);
    expect((await api.describe(execution)).status).toBe("RUNNING");
    clock.advance(1);
    expect(await api.ended(execution)).toEqual({ status: "SUCCEEDED", output: "Ada has 2" });
    const events = await api.history(execution);
    expect(events.map((event) => event.type)).toEqual([
      "ExecutionStarted",
      "PassStateEntered",
      "PassStateExited",
      "ChoiceStateEntered",
      "ChoiceStateExited",
      "WaitStateEntered",
      "WaitStateExited",
      "TaskStateEntered",
      "TaskScheduled",
      "TaskStarted",
      "TaskSucceeded",
      "TaskStateExited",
      "SucceedStateEntered",
      "SucceedStateExited",
      "ExecutionSucceeded",
    ]);
    expect(JSON.parse(events[2]?.stateExitedEventDetails?.output ?? "")).toMatchObject({
      summary: {
        name: "Ada",
        execution: "flow-one",
        state: "First",
        line: "Ada has 2",
        prices: [7, 3],
        fixed: [1, { two: 2 }],
      },
    });
    expect(events.map((event) => event.previousEventId)).toEqual([...events.keys()]);
  });

  test("ends with the error and cause of a Fail", async () => {
    const small = { name: "Bo", orders: [{ price: 1 }] };
    expect(await api.run("Flow", { customer: small })).toEqual({ status: "FAILED", error: "TooSmall", cause: "Bo" });
  });

  test("runs the branches of a Parallel and the iterations of a Map, and keeps their order", async () => {
    expect(await api.run("Sides")).toEqual({ status: "SUCCEEDED", output: { left: "left", right: "right" } });
    expect(await api.run("Each", { items: ["a", "b", "c"] })).toEqual({
      status: "SUCCEEDED",
      output: ["0-a", "1-b", "2-c"],
    });
    expect(await api.run("Each", { items: [] })).toEqual({ status: "SUCCEEDED", output: [] });
  });

  test("runs as many iterations of a Map at a time as MaxConcurrency allows", async () => {
    const execution = await api.start("Each", { items: ["a", "b", "c", "d", "e"] });
    await api.ended(execution);
    let running = 0;
    const counts = (await api.history(execution)).map(({ type }) => {
      if (type === "MapIterationStarted") running += 1;
      if (type === "MapIterationSucceeded") running -= 1;
      return running;
    });
    expect(Math.max(...counts)).toBe(2);
  });

  test("fails at 25,000 events", async () => {
    const execution = await api.start("Endless");
    expect(await api.ended(execution)).toMatchObject({
      status: "FAILED",
      cause: "The execution reached the maximum number of history events (25000).",
    });
  });
});

describe("a failed state", () => {
  test("is retried with backoff, up to the longest delay, and then given up", async () => {
    const execution = await api.start("Retried", { times: 4 });
    for (const [failures, seconds] of [2, 6, 10].entries()) {
      await api.reached(execution, "TaskFailed", failures + 1);
      clock.advance(seconds * 1000 - 1);
      expect((await api.history(execution)).filter(({ type }) => type === "TaskScheduled")).toHaveLength(failures + 1);
      clock.advance(1);
    }
    expect(await api.ended(execution)).toMatchObject({ status: "FAILED", error: "Busy" });
    const second = await api.start("Retried", { times: 1 });
    await api.reached(second, "TaskFailed");
    clock.advance(2000);
    expect(await api.ended(second)).toEqual({ status: "SUCCEEDED", output: "at last" });
  });

  test("is retried with full jitter before the whole delay has passed", async () => {
    const execution = await api.start("Jittered");
    await api.reached(execution, "TaskFailed");
    clock.advance(100_000);
    expect(await api.ended(execution)).toEqual({ status: "SUCCEEDED", output: { result: "at last" } });
  });

  test("is caught, with its error beside the state's input", async () => {
    expect(await api.run("Caught", { id: 7 })).toEqual({
      status: "SUCCEEDED",
      output: { id: 7, failure: { Error: "Refused", Cause: expect.stringContaining('"errorMessage":"as asked"') } },
    });
  });

  test("has timed out after TimeoutSeconds, and Catch matches States.Timeout", async () => {
    const execution = await api.start("Late");
    await api.reached(execution, "TaskStarted");
    clock.advance(10_000);
    expect(await api.ended(execution)).toEqual({
      status: "SUCCEEDED",
      output: { failure: { Error: "States.Timeout" } },
    });
    expect((await api.history(execution)).map((event) => event.type)).toContain("TaskTimedOut");
  });

  test("is caught if the role of the state machine does not allow the invocation", async () => {
    expect(await api.run("Denied")).toMatchObject({
      status: "SUCCEEDED",
      output: {
        failure: {
          Error: "Lambda.AWSLambdaException",
          Cause: expect.stringContaining("not authorized to perform: lambda:InvokeFunction"),
        },
      },
    });
  });

  test("with more than 256 KiB of output or a path to nothing ends the execution, without Catch", async () => {
    expect(await api.run("Large")).toMatchObject({ status: "FAILED", error: "States.DataLimitExceeded" });
    expect(await api.run("LostPath")).toMatchObject({ status: "FAILED", error: "States.Runtime" });
  });

  test("of a Map reaches Catch before the siblings have ended", async () => {
    const items = [
      { id: "fails", fail: "Refused", ms: 0 },
      { id: "waits", fail: "Other", ms: 60_000 },
    ];
    const execution = await api.start("FailingMap", { items });
    expect(await api.ended(execution)).toMatchObject({
      status: "SUCCEEDED",
      output: { failure: { Error: "Refused" } },
    });
    const types = (await api.history(execution)).map((event) => event.type);
    expect(types.filter((type) => type?.startsWith("Map"))).toEqual([
      "MapStateEntered",
      "MapStateStarted",
      "MapIterationStarted",
      "MapIterationStarted",
      "MapIterationFailed",
      "MapIterationAborted",
      "MapStateFailed",
      "MapStateExited",
    ]);
  });
});

test("the time limit of an execution skips Catch", async () => {
  const execution = await api.start("TooLate");
  await api.reached(execution, "TaskStarted");
  clock.advance(30_000);
  expect(await api.ended(execution)).toEqual({ status: "TIMED_OUT" });
});

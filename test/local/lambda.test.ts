import { randomUUID } from "node:crypto";
import {
  InvokeCommand,
  type InvokeCommandInput,
  LambdaClient,
  ResourceNotFoundException,
  TooManyRequestsException,
} from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { functionCaller } from "./function-caller.ts";
import { gate, type Running, run, runForTest, sdkSettings } from "./run.ts";
import { allow, attribute, lambdaFunction, template } from "./stack.ts";

const clock = fakeClock();
/** A generous limit for a busy machine. */
const patiently = { timeout: 120_000 };
let platform: Running;
let client: LambdaClient;

beforeAll(async () => {
  process.env.HOST_ONLY = "must not be seen";
  platform = await run(
    {
      functions: template(
        lambdaFunction("Probe", { Timeout: 60, Environment: { Variables: { COLOUR: "green" } } }),
        lambdaFunction("Held", { Timeout: 60 }),
        lambdaFunction("Brief", { Timeout: 3 }),
        lambdaFunction("Small", { Timeout: 60, MemorySize: 128 }),
        lambdaFunction("Reserved", { Timeout: 60, ReservedConcurrentExecutions: 2 }),
        lambdaFunction("Closed", { ReservedConcurrentExecutions: 0 }),
        lambdaFunction("Broken", { handler: "broken" }),
        lambdaFunction("Missing", { handler: "missing-export" }),
        lambdaFunction("Callback", { handler: "callback" }),
        lambdaFunction("Twice", { handler: "counter", Environment: { Variables: { FAILURES: "2" } } }),
        lambdaFunction("Always", { handler: "counter", Environment: { Variables: { FAILURES: "9" } } }),
        lambdaFunction("Idle"),
      ),
    },
    { clock, verbose: true },
  );
  client = new LambdaClient(sdkSettings(platform));
});

afterAll(() => platform.stop());

const invoke = async (name: string, event: unknown, more: Partial<InvokeCommandInput> = {}) => {
  const reply = await client.send(new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event), ...more }));
  const payload = reply.Payload?.transformToString() ?? "";
  return { ...reply, result: payload === "" ? undefined : JSON.parse(payload) };
};

describe("an execution environment", () => {
  test("has the template's variables and Lambda's own, and nothing of this process", async () => {
    const { result } = await invoke("Probe", { do: "environment" });
    expect(result).toMatchObject({
      COLOUR: "green",
      AWS_REGION: "us-east-1",
      AWS_LAMBDA_FUNCTION_NAME: "Probe",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256",
      AWS_ENDPOINT_URL_KMS: platform.awsEndpoint,
      AWS_ACCESS_KEY_ID: expect.stringMatching(/^ASIA/),
    });
    const unexpected = Object.keys(result).filter(
      (name) => !/^(AWS_|LAMBDA_|COLOUR$|_HANDLER$|LANG$|PATH$|TZ$)/.test(name),
    );
    expect(unexpected).toEqual([]);
    expect(result.PATH).toBe("/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin");
  });

  test("gets its invocation's context", async () => {
    const { result } = await invoke("Probe", { do: "context" });
    expect(result).toMatchObject({
      name: "Probe",
      arn: "arn:aws:lambda:us-east-1:000000000000:function:Probe",
      memory: "256",
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(result.remaining).toBeGreaterThan(30_000);
    expect(result.remaining).toBeLessThanOrEqual(60_000);
  });

  test("is started once and used again", async () => {
    const first = (await invoke("Probe", { do: "calls" })).result.calls;
    expect((await invoke("Probe", { do: "calls" })).result.calls).toBe(first + 1);
    expect(platform.environments("Probe")).toBe(1);
  });

  test("handles one event at a time; more events have more environments", async () => {
    const { path: until, open } = gate();
    const running = Promise.all([1, 2, 3, 4].map(() => invoke("Held", { do: "hold", until })));
    await vi.waitFor(() => expect(platform.environments("Held")).toBe(4), patiently);
    open();
    expect((await running).map(({ result }) => result.active)).toEqual([1, 1, 1, 1]);
    expect(platform.environments("Held")).toBe(4);
    // Short events share environments instead of starting one each. The slower the machine, the more are started.
    await Promise.all(Array.from({ length: 50 }, () => invoke("Held", { do: "calls" })));
    expect(platform.environments("Held")).toBeLessThan(30);
  });

  test("ends after its idle time", async () => {
    await invoke("Idle", { do: "calls" });
    expect(platform.environments("Idle")).toBe(1);
    clock.advance(2 * 60_000);
    expect(platform.environments("Idle")).toBe(0);
    expect((await invoke("Idle", { do: "calls" })).result.calls).toBe(1);
  });

  test("is killed at its time limit, and the next event has a new one", async () => {
    const { result, FunctionError } = await invoke("Brief", { do: "spin" });
    expect(FunctionError).toBe("Unhandled");
    expect(result).toMatchObject({ errorMessage: expect.stringContaining("Task timed out after 3.00 seconds") });
    expect((await invoke("Brief", { do: "calls" })).result.calls).toBe(1);
  });

  test("that runs out of memory does not affect others", async () => {
    const { path: until, open } = gate();
    const elsewhere = invoke("Probe", { do: "hold", until });
    const { result } = await invoke("Small", { do: "memory" });
    expect(result.errorType).toBe("Runtime.OutOfMemory");
    open();
    expect((await elsewhere).FunctionError).toBeUndefined();
    expect((await invoke("Small", { do: "calls" })).result.calls).toBe(1);
  });

  test("that exits or throws asynchronously fails its event only", async () => {
    expect((await invoke("Probe", { do: "exit" })).result).toMatchObject({
      errorType: "Runtime.ExitError",
      errorMessage: expect.stringContaining("exit status 3"),
    });
    expect((await invoke("Probe", { do: "later" })).result).toMatchObject({ errorType: "RangeError" });
    expect((await invoke("Probe", { do: "calls" })).result.calls).toBe(1);
  });

  test("keeps its handler's output, for the function and for observers", async () => {
    await invoke("Probe", { do: "log" });
    expect(platform.logs("Probe").slice(-4)).toEqual(["by console", "by stream", "by descriptor", "by error"]);
    expect(platform.entries).toContainEqual({ kind: "output", function: "Probe", line: "by descriptor" });
  });
});

describe("a handler that cannot be loaded is a function error", () => {
  test.each([
    ["Broken", "SyntaxError", "broken at import"],
    ["Missing", "Runtime.HandlerNotFound", "index.handler is undefined or not exported"],
    ["Callback", "Runtime.CallbackHandlerDeprecated", "callback-based"],
  ])("%s: %s", async (name, errorType, message) => {
    const { result, FunctionError, StatusCode } = await invoke(name, {});
    expect([FunctionError, StatusCode]).toEqual(["Unhandled", 200]);
    expect(result).toMatchObject({ errorType, errorMessage: expect.stringContaining(message) });
    expect(platform.environments(name)).toBe(0);
  });
});

describe("Lambda's Invoke API", () => {
  test("gives results and errors of the handler", async () => {
    expect((await invoke("Probe", { do: "event", a: 1 })).result).toEqual({ do: "event", a: 1 });
    expect((await invoke("Probe", { do: "nothing" })).result).toBeNull();
    const { result, FunctionError, ExecutedVersion } = await invoke("Probe", { do: "throw" });
    expect([FunctionError, ExecutedVersion]).toEqual(["Unhandled", "$LATEST"]);
    expect(result).toMatchObject({ errorType: "TypeError", errorMessage: "as asked", trace: expect.any(Array) });
  });

  test.each([
    "Probe",
    "arn:aws:lambda:us-east-1:000000000000:function:Probe",
    "000000000000:function:Probe",
    "Probe:$LATEST",
  ])("finds a function by %s", async (name) => {
    expect((await invoke(name, { do: "context" })).result.name).toBe("Probe");
  });

  test("gives its own errors", async () => {
    await expect(invoke("Nobody", {})).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(invoke("Closed", {})).rejects.toBeInstanceOf(TooManyRequestsException);
    await expect(invoke("Probe", {}, { Payload: "{" })).rejects.toThrow("Could not parse request body into json");
    await expect(invoke("Probe", "x".repeat(6 * 1024 * 1024))).rejects.toThrow("too large");
  });

  test("gives the end of the log on request, and runs nothing on a dry run", async () => {
    const { LogResult } = await invoke("Probe", { do: "log" }, { LogType: "Tail" });
    expect(Buffer.from(LogResult ?? "", "base64").toString()).toMatch(/by descriptor\nby error$/);
    expect((await invoke("Probe", { do: "throw" }, { InvocationType: "DryRun" })).StatusCode).toBe(204);
  });

  test("throttles beyond the reserved concurrency", async () => {
    const { path: until, open } = gate();
    const running = [1, 2, 3].map(() => invoke("Reserved", { do: "hold", until }));
    const outcomes = Promise.allSettled(running);
    // The others end after it.
    await expect(Promise.race(running)).rejects.toBeInstanceOf(TooManyRequestsException);
    open();
    expect((await outcomes).map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
  });
});

describe("an invocation of type Event", () => {
  const attempts = (name: string, id: string) => platform.logs(name).filter((line) => line.includes(id)).length;

  test("is accepted at once and retried after one and two minutes", async () => {
    const id = randomUUID();
    const { StatusCode } = await invoke("Twice", { id }, { InvocationType: "Event" });
    expect(StatusCode).toBe(202);
    await vi.waitFor(() => expect(attempts("Twice", id)).toBe(1), patiently);
    // The outcome of an attempt reaches the platform just after its log lines.
    await vi.waitFor(() => {
      clock.advance(30_000);
      expect(attempts("Twice", id)).toBe(3);
    }, patiently);
    clock.advance(10 * 60_000);
    // A fourth attempt would come before this event.
    await invoke("Twice", { id: randomUUID() });
    expect(attempts("Twice", id)).toBe(3);
  });

  test("that fails three times is dropped, with a log line", async () => {
    const id = randomUUID();
    await invoke("Always", { id }, { InvocationType: "Event" });
    await vi.waitFor(() => {
      clock.advance(60_000);
      expect(platform.entries).toContainEqual(
        expect.objectContaining({ kind: "dropped", function: "Always", reason: "the event failed three times" }),
      );
    }, patiently);
    expect(attempts("Always", id)).toBe(3);
  });
});

test("a function may invoke another only if its role allows that", async () => {
  const { as } = functionCaller(
    await runForTest({
      functions: template(
        lambdaFunction("Caller", { statements: [allow("lambda:InvokeFunction", attribute("Target"))] }),
        lambdaFunction("Target"),
        lambdaFunction("Other"),
      ),
    }),
  );
  const lambda = new LambdaClient(await as("Caller"));
  const ask = (name: string) => lambda.send(new InvokeCommand({ FunctionName: name, Payload: '{"do":"calls"}' }));
  expect((await ask("Target")).StatusCode).toBe(200);
  await expect(ask("Other")).rejects.toMatchObject({
    name: "AccessDeniedException",
    $metadata: { httpStatusCode: 403 },
    message: expect.stringMatching(
      /assumed-role\/.*\/Caller is not authorized to perform: lambda:InvokeFunction on resource: .*:Other/,
    ),
  });
});

import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { InvokeCommand, type InvokeCommandInput, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { functionCaller } from "./function-caller.ts";
import { gate, type Running, run, runForTest, sdkSettings } from "./run.ts";
import { allow, attribute, lambdaFunction, template } from "./stack.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000 };

const python = (id: string, more: Readonly<Record<string, unknown>> = {}) =>
  lambdaFunction(id, {
    handler: "python",
    Handler: "handler.handler",
    Runtime: "python3.13",
    TenancyConfig: { TenantIsolationMode: "PER_TENANT" },
    ...more,
  });

const caller = (platform: Running) => {
  const client = new LambdaClient(sdkSettings(platform));
  return async (name: string, tenant: string | undefined, event: unknown, more: Partial<InvokeCommandInput> = {}) => {
    const command = new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event, null, 1), ...more });
    if (tenant !== undefined) command.input.TenantId = tenant;
    const reply = await client.send(command);
    const payload = reply.Payload?.transformToString() ?? "";
    return { error: reply.FunctionError, result: payload === "" ? undefined : JSON.parse(payload) };
  };
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const clock = fakeClock();
let platform: Running;
let invoke: ReturnType<typeof caller>;

beforeAll(async () => {
  process.env.HOST_ONLY = "must not be seen";
  platform = await run(
    {
      functions: template(
        python("Runner", { Environment: { Variables: { COLOUR: "green" } } }),
        python("Held", { Timeout: 60 }),
        python("Full", { Timeout: 60 }),
        lambdaFunction("Plain"),
      ),
    },
    { clock, verbose: true, environments: { most: 8, idle: 60_000, processes: { most: 4, ofOneTenant: 3 } } },
  );
  invoke = caller(platform);
});

afterAll(() => platform.stop());

describe("a function in Python with tenant isolation", () => {
  test("gets its event, and its time limit", async () => {
    const event = { text: "a\nb\r\u2028", list: [1] };
    expect(await invoke("Runner", "org_a", event)).toEqual({
      error: undefined,
      result: { event, timeout_ms: 5_000 },
    });
  });

  test("has the template's variables and those of Lambda's Python, and nothing of this process", async () => {
    const { result } = await invoke("Runner", "org_a", { do: "environment" });
    expect(result).toMatchObject({ COLOUR: "green", AWS_EXECUTION_ENV: "AWS_Lambda_python3.13" });
    const unexpected = Object.keys(result).filter(
      (name) => !/^(AWS_(?!ENDPOINT)|LAMBDA_|COLOUR$|_HANDLER$|LANG$|LC_CTYPE$|PATH$|TZ$)/.test(name),
    );
    expect(unexpected).toEqual([]);
  });

  test("is refused without a tenant, or with one that is malformed, and other functions are refused with one", async () => {
    const refused = { name: "InvalidParameterValueException", $metadata: { httpStatusCode: 400 } };
    await expect(invoke("Runner", undefined, {})).rejects.toMatchObject(refused);
    await expect(invoke("Runner", "a*", {})).rejects.toMatchObject(refused);
    await expect(invoke("Plain", "org_a", {})).rejects.toMatchObject(refused);
    await expect(invoke("Runner", "org_a", {}, { InvocationType: "Event" })).rejects.toMatchObject(refused);
  });

  test("keeps one process for one tenant, and no process serves two", async () => {
    const first = (await invoke("Runner", "org_b", { do: "calls" })).result;
    const again = (await invoke("Runner", "org_b", { do: "calls" })).result;
    const other = (await invoke("Runner", "org_c", { do: "calls" })).result;
    expect([first.calls, again]).toEqual([1, { calls: 2, pid: first.pid }]);
    expect(other).toEqual({ calls: 1, pid: expect.any(Number) });
    expect(other.pid).not.toBe(first.pid);
  });

  test("gives one process one event at a time, and one tenant no more processes than its limit", async () => {
    const { path: until, open } = gate();
    const running = Promise.all(Array.from({ length: 6 }, () => invoke("Held", "org_d", { do: "hold", until })));
    await vi.waitFor(() => expect(platform.environments("Held")).toBe(3), patiently);
    open();
    const replies = await running;
    const processes = new Set(replies.map(({ result }) => result.pid));
    expect(replies.map(({ error }) => error)).toEqual(Array.from({ length: 6 }, () => undefined));
    expect(processes.size).toBe(3);
  });

  test("ends an idle process of one tenant for another one, and all of them after their idle time", async () => {
    for (const tenant of ["org_e", "org_f", "org_g", "org_h", "org_i", "org_j"]) {
      expect((await invoke("Runner", tenant, { do: "calls" })).result.calls).toBe(1);
    }
    expect(platform.environments("Runner")).toBe(4);
    const { pid } = (await invoke("Runner", "org_j", { do: "calls" })).result;
    clock.advance(2 * 60_000);
    expect(platform.environments("Runner")).toBe(0);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), patiently);
  });

  test("lets tenants with many events wait for one with a single event", async () => {
    const { path: begun } = gate();
    const rounds = Array.from({ length: 8 }, gate);
    // The first events end in rounds, and all others only when the single one has begun.
    const flood = ["org_k", "org_l"].flatMap((tenant) =>
      Array.from({ length: 20 }, (_, index) =>
        invoke("Held", tenant, { do: "hold", until: rounds[index]?.path ?? begun }),
      ),
    );
    const all = Promise.allSettled(flood);
    await vi.waitFor(() => expect(platform.environments("Held")).toBe(4), patiently);
    const single = invoke("Held", "org_m", { do: "hold", begun, until: begun });
    for (const { open } of rounds) {
      open();
      // It asks for a process after it has waited for 50 ms by the timers of this process.
      await setTimeout(50);
    }
    expect((await single).error).toBeUndefined();
    expect((await all).map(({ status }) => status)).toEqual(flood.map(() => "fulfilled"));
  });

  test("throttles an event that has waited for five seconds", async () => {
    const { path: until, open } = gate();
    const busy = Array.from({ length: 3 }, () => invoke("Full", "org_n", { do: "hold", until }));
    await vi.waitFor(() => expect(platform.environments("Full")).toBe(3), patiently);
    const late = invoke("Full", "org_n", { do: "calls" });
    const began = performance.now();
    await expect(late).rejects.toMatchObject({ name: "TooManyRequestsException", $metadata: { httpStatusCode: 429 } });
    expect(performance.now() - began).toBeGreaterThan(3_000);
    open();
    expect((await Promise.all(busy)).map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
  });
});

describe("a process that runs Python", () => {
  test("is killed at the time limit, and the next event has a new one", async () => {
    const before = (await invoke("Runner", "org_a", { do: "calls" })).result.pid;
    const { error, result } = await invoke("Runner", "org_a", { do: "spin" });
    expect(error).toBe("Unhandled");
    expect(result.errorMessage).toMatch("Task timed out after 5.00 seconds");
    await vi.waitFor(() => expect(isAlive(before)).toBe(false), patiently);
    expect((await invoke("Runner", "org_a", { do: "calls" })).result.calls).toBe(1);
  });

  test.each([
    ["exits", { do: "exit" }, "Runtime.ExitError", /exit status 3/],
    ["writes something else than an answer", { do: "noise" }, "Runtime.InvalidAnswer", /not an answer/],
    ["gives an error", { do: "raise" }, "ValueError", /as asked/],
    ["gives too much", { do: "large" }, "Function.ResponseSizeTooLarge", /6291556/],
  ])("that %s fails its event only", async (_, event, errorType, message) => {
    const { error, result } = await invoke("Runner", "org_a", event);
    expect(error).toBe("Unhandled");
    expect(result).toMatchObject({ errorType, errorMessage: expect.stringMatching(message) });
    expect((await invoke("Runner", "org_a", { do: "calls" })).error).toBeUndefined();
  });

  test("that is killed from outside fails its event, and the next one has a new process", async () => {
    const { pid } = (await invoke("Held", "org_a", { do: "calls" })).result;
    const [begun, never] = [gate().path, gate().path];
    const running = invoke("Held", "org_a", { do: "hold", begun, until: never });
    await vi.waitFor(() => expect(existsSync(begun)).toBe(true), patiently);
    process.kill(pid, "SIGKILL");
    expect((await running).result).toMatchObject({ errorMessage: expect.stringContaining("signal: SIGKILL") });
    expect((await invoke("Held", "org_a", { do: "calls" })).result.calls).toBe(1);
  });

  test("writes the function's log on its standard error", async () => {
    await invoke("Runner", "org_a", { do: "log" });
    await vi.waitFor(() => expect(platform.logs("Runner")).toContain("to the log"), patiently);
  });

  test("ends with the platform, and so do the processes that it has started", async () => {
    const own = await run({ functions: template(python("Runner")) });
    const ask = caller(own);
    const { pid } = (await ask("Runner", "org_a", { do: "calls" })).result;
    const { group } = (await ask("Runner", "org_a", { do: "children" })).result;
    expect(group).toBe(pid);
    await own.stop();
    await vi.waitFor(() => expect(isAlive(-pid)).toBe(false), patiently);
  });
});

test("a function may invoke one in Python only if its role allows that", async () => {
  const { as } = functionCaller(
    await runForTest({
      functions: template(
        lambdaFunction("Caller", { statements: [allow("lambda:InvokeFunction", attribute("Runner"))] }),
        lambdaFunction("Stranger"),
        python("Runner"),
      ),
    }),
  );
  const send = async (name: string) =>
    new LambdaClient(await as(name)).send(
      new InvokeCommand({ FunctionName: "Runner", TenantId: "org_a", Payload: '{"do":"calls"}' }),
    );
  expect((await send("Caller")).StatusCode).toBe(200);
  await expect(send("Stranger")).rejects.toMatchObject({ name: "AccessDeniedException" });
});

test.each([
  ["without tenant isolation", { TenancyConfig: undefined }, "TenancyConfig"],
  ["with another handler", { Handler: "index.handler" }, "must name handler.handler"],
  ["of another version", { Runtime: "python3.12" }, "must be nodejs24.x or python3.13"],
])("a function in Python %s is refused at the start", async (_, more, reason) => {
  await expect(run({ functions: template(python("Runner", more)) })).rejects.toThrow(reason);
});

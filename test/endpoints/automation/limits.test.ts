import { beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { addFunction, addLead, contextCall, logOf, plantExecution, run, runBody, untilLead } from "./functions.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const calling = (file_name: string) =>
  `try:\n    return await platform.workflows.run_function('${file_name}')\n` +
  "except PlatformError as error:\n    return {'code': error.code, 'message': error.message}";

describe("executions within each other", () => {
  it("end at the fifth level, with an error that names the path", async () => {
    await addFunction(owner, calling("b.py"), { file_name: "a.py" });
    await addFunction(owner, calling("a.py"), { file_name: "b.py" });
    const { body } = await run(owner, "a.py");
    expect(body).toEqual({
      code: "execution_limit",
      message: "Executions may be 5 deep. This one is deeper: a.py → b.py → a.py → b.py → a.py → b.py.",
    });
  });

  it("get the time that is left, and an inner time-out is no time-out of the outer one", async () => {
    const inner = await addFunction(owner, "while True:\n    pass");
    const outer = await addFunction(owner, `return await platform.workflows.run_function('${inner}')`, {
      timeout_seconds: 6,
    });
    const begun = Date.now();
    expect((await run(owner, outer)).body).toMatchObject({ status: "error", error_type: "timeout" });
    // A request ends a function after 25 seconds.
    expect(Date.now() - begun).toBeLessThan(20_000);
  });

  it("do not block each other when twenty of them wait for another one at once", async () => {
    const inner = await addFunction(owner, "return kwargs['n']");
    const outer = await addFunction(owner, `return await platform.workflows.run_function('${inner}', kwargs)`);
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const replies = await Promise.all(numbers.map((n) => run(owner, outer, { n })));
    expect(replies.map(({ body }) => body)).toEqual(numbers);
  });

  it("give what the innermost of five gave", async () => {
    let name = await addFunction(owner, "return kwargs['n']");
    for (let level = 4; level > 0; level -= 1) {
      name = await addFunction(owner, `return await platform.workflows.run_function('${name}', kwargs)`);
    }
    expect((await run(owner, name, { n: 7 })).body).toBe(7);
  });
});

describe("an organization", () => {
  it("runs at most twenty functions at once, and again when one has ended", async () => {
    const name = await addFunction(owner, "return 2");
    await run(owner, name);
    const client = await databaseClient();
    try {
      const slots = client.db(owner.organizationId).collection<{ _id: string }>("function_slot");
      const until = new Date(Date.now() + 60_000);
      const running = Array.from({ length: 20 }, (_, n) => ({ id: `busy-${n}`, until }));
      await slots.updateOne({ _id: "roots" }, { $set: { running } });
      const body = { function_name: name };
      const refused = await http.post("/v1/automation/function", { token: owner.token, body, expect: 429 });
      expect(refused.body.code).toBe("too_many_functions");
      expect(refused.headers.get("retry-after")).toBe("1");
      await slots.updateOne({ _id: "roots" }, { $set: { running: running.slice(1) } });
      expect((await run(owner, name)).body).toBe(2);
      // A place is free at the end of its time, also if its holder has died.
      const over = running.map(({ id }) => ({ id, until: new Date(Date.now() - 1) }));
      await slots.updateOne({ _id: "roots" }, { $set: { running: over } });
      expect((await run(owner, name)).body).toBe(2);
      expect(await slots.findOne({ _id: "roots" })).toMatchObject({ running: [] });
    } finally {
      await client.close();
    }
  });

  it("gets an answer to each of many slow functions at once, and others meanwhile", async () => {
    const slow = await addFunction(owner, `${untilLead("Go")}return 1`);
    const other = await registerOrganization();
    const quick = await addFunction(other, "return 2");
    const all = Promise.all(Array.from({ length: 12 }, () => run(owner, slow)));
    const client = await databaseClient();
    try {
      const executions = client.db(owner.organizationId).collection("function_execution");
      // The others may wait for these.
      const running = () => executions.countDocuments({ name: slow, status: "running" });
      await expect.poll(running).toBeGreaterThanOrEqual(4);
    } finally {
      await client.close();
    }
    expect((await run(other, quick)).body).toBe(2);
    await addLead(owner, "Go");
    expect((await all).map(({ body }) => body)).toEqual(Array(12).fill(1));
  });
});

describe("one execution", () => {
  it("may call the platform a thousand times, and goes on after that without it", async () => {
    const code =
      "for done in range(1010):\n    try:\n" +
      "        await platform.metadata.get_config('x')\n" +
      "    except PlatformError as error:\n        return [done, error.code]";
    const name = await addFunction(owner, code);
    // It counts the calls of what it starts, and the start is a call too.
    const { token } = await plantExecution(owner, { calls: 989 });
    const { body } = await contextCall(token, "workflows.run_function", [name]);
    expect(body).toEqual({ result: [10, "too_many_calls"] });
  });

  it("fails with a reason for each limit that its code exceeds, and the next one works", async () => {
    const failing = {
      memory: "return len([bytearray(1024 * 1024) for _ in range(2000)])",
      RecursionError: "def f(n):\n    return f(n + 1)\nreturn f(0)",
      limit: "return 'x' * 2000000",
    };
    for (const [error_type, body] of Object.entries(failing)) {
      const name = await addFunction(owner, body, { memory_mb: 64, timeout_seconds: 10 });
      const reply = await run(owner, name);
      expect(reply.body).toMatchObject({ status: "error", error_type });
      expect(await logOf(owner, reply)).toMatchObject({ status: "failed" });
    }
    expect(await runBody(owner, "return 3")).toBe(3);
  });

  it("keeps the first lines of a flood, and says so", async () => {
    const name = await addFunction(owner, "for n in range(5000):\n    platform.log('line ' + str(n))\nreturn 1");
    const { lines } = await logOf(owner, await run(owner, name));
    expect(lines.length).toBeLessThanOrEqual(1_001);
    expect(lines[0].message).toBe("line 0");
    expect(lines.at(-1)).toMatchObject({ level: "warning" });
  });

  it("takes no more than 1 MiB of inputs", async () => {
    const name = await addFunction(owner, "return 1");
    const body = { function_name: name, inputs: { text: "x".repeat(1024 * 1024) } };
    await http.post("/v1/automation/function", { token: owner.token, body, expect: 413 });
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { addFunction, codeOf, executionOf, logOf, permissionFor, run, runBody } from "./functions.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const post = (body: unknown, expected: number, { token }: Pick<User, "token"> = owner) =>
  http.post("/v1/automation/function", { token, body, expect: expected });

describe("POST /v1/automation/function: 200", () => {
  it("gives what the function returned, and the id of the execution", async () => {
    const name = await addFunction(owner, "return {'sum': kwargs['a'] + kwargs['b']}");
    const reply = await run(owner, name, { a: 2, b: 3 });
    expect(reply.body).toEqual({ sum: 5 });
    expect(executionOf(reply)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("gives every JSON value that a function can return", async () => {
    const name = await addFunction(owner, "return kwargs.get('value')");
    for (const value of [null, true, 0, 1.5, "text", [], [1, [2]], {}, { a: { b: null } }, "ü\u0000€"]) {
      expect((await run(owner, name, { value })).body).toEqual(value);
    }
  });

  it("runs a function by its id", async () => {
    const body = { name: "By id", file_name: "by_id.py", code: codeOf("return 7") };
    const { id } = (await http.post("/v1/object/function", { token: owner.token, body, expect: 201 })).body;
    expect((await post({ function_id: id }, 200)).body).toBe(7);
  });

  it("gives the name of the exception and its message if the code raises", async () => {
    expect(await runBody(owner, "raise ValueError('no such thing')")).toEqual({
      status: "error",
      message: "no such thing",
      error_type: "ValueError",
    });
    expect(await runBody(owner, "return 1 / 0")).toMatchObject({ status: "error", error_type: "ZeroDivisionError" });
    expect(await runBody(owner, "return kwargs['missing']")).toMatchObject({ error_type: "KeyError" });
  });

  it("ends an endless function at its time-out, and the next call works", async () => {
    const endless = await addFunction(owner, "while True:\n    pass", { timeout_seconds: 1 });
    const begun = Date.now();
    expect((await run(owner, endless)).body).toMatchObject({ status: "error", error_type: "timeout" });
    // A request ends a function after 25 seconds.
    expect(Date.now() - begun).toBeLessThan(20_000);
    expect(await runBody(owner, "return 1")).toBe(1);
  });

  it("gives an error for what is no JSON", async () => {
    expect(await runBody(owner, "return {1, 2}")).toMatchObject({ status: "error", error_type: "invalid_output" });
    expect(await runBody(owner, "return float('nan')")).toMatchObject({
      status: "error",
      error_type: "invalid_output",
    });
  });

  it("runs the code that was saved last", async () => {
    const body = { name: "Changed", file_name: "changed.py", code: codeOf("return 'before'") };
    const { id } = (await http.post("/v1/object/function", { token: owner.token, body, expect: 201 })).body;
    expect((await run(owner, "changed.py")).body).toBe("before");
    const code = codeOf("return 'after'");
    await http.patch(`/v1/object/function/${id}`, { token: owner.token, body: { code }, expect: 200 });
    expect((await run(owner, "changed.py")).body).toBe("after");
  });
});

describe("POST /v1/automation/function: refusals", () => {
  it("refuses names that are none, and requests that name no function or two", async () => {
    const locs = async (body: object) =>
      (await post(body, 422)).body.detail.map(({ loc }: { loc: string[] }) => loc.join("."));
    expect(await locs({ function_name: "score" })).toEqual(["body.function_name"]);
    expect(await locs({})).toEqual(["body.function_name"]);
    expect(await locs({ function_name: "a.py", function_id: "x" })).toEqual(["body.function_id"]);
    expect(await locs({ function_name: "a.py", inputs: [1] })).toEqual(["body.inputs"]);
    expect(await locs({ function_name: "a.py", other: 1 })).toEqual(["body.other"]);
  });

  it("knows no function that does not exist, is not active, or belongs to another organization", async () => {
    const stranger = await registerOrganization();
    await addFunction(owner, "return 1", { file_name: "mine_alone.py" });
    await addFunction(owner, "return 1", { file_name: "asleep.py", active: false });
    const bodies = [
      await post({ function_name: "nowhere.py" }, 404),
      await post({ function_name: "asleep.py" }, 404),
      await post({ function_name: "mine_alone.py" }, 404, stranger),
    ].map(({ body }) => body.detail);
    expect(new Set(bodies)).toEqual(new Set(["There is no such active function in your organization."]));
  });

  it("lets those run a function who may read its record, and nobody else", async () => {
    const name = await addFunction(owner, "return platform.user['email']");
    const reader = await addUser(owner.organizationId, {
      permissions: [await permissionFor(owner, { function: { read: true } })],
    });
    const other = await addUser(owner.organizationId, { permissions: [] });
    expect((await run(reader, name)).body).toBe(reader.email);
    expect((await post({ function_name: name }, 403, other)).body.code).toBe("forbidden");
  });
});

describe("an execution", () => {
  it("leaves a log record with inputs, output, lines, duration and place", async () => {
    const code = "platform.log('one', 'info')\nawait platform.log('two', 'error')\nreturn {'ok': True}";
    const name = await addFunction(owner, code);
    const reply = await run(owner, name, { a: 1, api_key: "very-secret", nested: { password: "hidden too" } });
    const log = await logOf(owner, reply);
    expect(log).toMatchObject({
      id: executionOf(reply),
      execution_id: executionOf(reply),
      name,
      kind: "function",
      level: "info",
      status: "completed",
      place: "api",
      inputs: { a: 1, api_key: "[hidden]", nested: { password: "[hidden]" } },
      output: { ok: true },
      related_to: { schema: "function", name },
      owner: { id: owner.id },
    });
    expect(log.lines.map(({ level, message }: Record<string, string>) => [level, message])).toEqual([
      ["info", "one"],
      ["error", "two"],
    ]);
    expect(log.duration_ms).toBeGreaterThan(0);
    expect(JSON.stringify(log)).not.toContain("very-secret");
  });

  it("leaves a log record with the error and its line if it fails", async () => {
    const reply = await run(owner, await addFunction(owner, "a = 1\nraise ValueError('bad')"));
    expect(await logOf(owner, reply)).toMatchObject({
      level: "error",
      status: "failed",
      message: "bad",
      error: { kind: "exception", type: "ValueError", message: "bad", line: 3 },
    });
  });

  it("cuts large inputs and outputs in the log record, and gives them whole to the caller", async () => {
    const text = "x".repeat(100_000);
    const reply = await run(owner, await addFunction(owner, "return kwargs['text']"), { text });
    expect(reply.body).toBe(text);
    const log = await logOf(owner, reply);
    expect(log.inputs).toEqual({ cut: true, bytes: 100_011 });
    expect(log.output).toEqual({ cut: true, bytes: 100_002 });
  });

  it("keeps names in its log record that MongoDB could not hold, as text", async () => {
    const odd = { "a.b": 1, $where: { "": 2 } };
    const reply = await run(owner, await addFunction(owner, "return kwargs['odd']"), { odd });
    expect(reply.body).toEqual(odd);
    expect((await logOf(owner, reply)).output).toBe(JSON.stringify(odd));
  });

  it("is shown to the user in whose name it ran and to readers of its log record, and to nobody else", async () => {
    const reader = await addUser(owner.organizationId, {
      permissions: [await permissionFor(owner, { function: { read: true } })],
    });
    const other = await addUser(owner.organizationId, { permissions: [] });
    const stranger = await registerOrganization();
    const id = executionOf(await run(reader, await addFunction(owner, "return 5"), { b: 2 }));
    const path = `/v1/automation/executions/${id}`;
    for (const { token } of [reader, owner]) {
      const { body } = await http.get(path, { token, expect: 200 });
      expect(body).toMatchObject({ id, status: "completed", place: "api", inputs: { b: 2 }, output: 5 });
      expect(body.user.id).toBe(reader.id);
    }
    for (const { token } of [other, stranger]) await http.get(path, { token, expect: 404 });
  });

  it("leaves no document of a running execution behind", async () => {
    const id = executionOf(await run(owner, await addFunction(owner, "return 5")));
    const { body } = await http.get(`/v1/automation/executions/${id}`, { token: owner.token, expect: 200 });
    expect(body.status).toBe("completed");
  });
});

describe("a replay", () => {
  const replay = (id: string, expected: number, { token }: Pick<User, "token"> = owner) =>
    http.post(`/v1/automation/executions/${id}/replay`, { token, expect: expected });

  it("runs the present code with the same inputs, as another execution", async () => {
    const name = await addFunction(owner, "return kwargs['n'] * 2");
    const first = await run(owner, name, { n: 21 });
    const again = await replay(executionOf(first), 200);
    expect(again.body).toBe(42);
    expect(executionOf(again)).not.toBe(executionOf(first));
    expect(await logOf(owner, again)).toMatchObject({ place: "replay", inputs: { n: 21 }, status: "completed" });
  });

  it("is refused if the inputs were not kept as they were", async () => {
    const name = await addFunction(owner, "return 1");
    for (const inputs of [{ password: "x" }, { large: "x".repeat(70_000) }, { $odd: 1 }]) {
      const { body } = await replay(executionOf(await run(owner, name, inputs)), 409);
      expect(body.code).toBe("execution_not_replayable");
    }
  });

  it("is for those who may see the execution", async () => {
    const id = executionOf(await run(owner, await addFunction(owner, "return 1")));
    await replay(id, 404, await addUser(owner.organizationId, { permissions: [] }));
    await replay(id, 404, await registerOrganization());
    await replay(crypto.randomUUID(), 404);
  });
});

describe("a function call with an Idempotency-Key", () => {
  const creates = "return (await platform.records.create('lead', {'name': kwargs['name']}))['id']";
  const leads = async (name: string): Promise<number> => {
    const q = `SELECT COUNT(*) AS n FROM lead WHERE name = '${name}'`;
    return (await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 })).body.records[0].n;
  };

  it("runs once, and a repetition gives the same outcome and execution", async () => {
    const name = await addFunction(owner, creates);
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await run(owner, name, { name: "Once" }, key);
    const second = await run(owner, name, { name: "Once" }, key);
    expect(second.body).toBe(first.body);
    expect(executionOf(second)).toBe(executionOf(first));
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await leads("Once")).toBe(1);
  });

  it("runs once under many requests at the same time", async () => {
    const name = await addFunction(owner, creates);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = { function_name: name, inputs: { name: "At once" } };
    const send = () => http.post("/v1/automation/function", { token: owner.token, body, headers });
    const statuses = (await Promise.all(Array.from({ length: 8 }, send))).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect((await send()).status).toBe(200);
    expect(await leads("At once")).toBe(1);
  });

  it("gives a failure again too, and refuses another request with the key", async () => {
    const name = await addFunction(owner, "raise ValueError(kwargs['why'])");
    const key = { "idempotency-key": crypto.randomUUID() };
    const first = await run(owner, name, { why: "this" }, key);
    expect((await run(owner, name, { why: "this" }, key)).body).toEqual(first.body);
    const other = { function_name: name, inputs: { why: "that" } };
    await http.post("/v1/automation/function", { token: owner.token, body: other, headers: key, expect: 422 });
  });

  it("gives a large outcome again, whole", async () => {
    const name = await addFunction(owner, "return 'x' * 200000");
    const key = { "idempotency-key": crypto.randomUUID() };
    await run(owner, name, {}, key);
    expect((await run(owner, name, {}, key)).body).toBe("x".repeat(200_000));
  });

  it("begins again if there was no room to run it, and once for many repetitions", async () => {
    const name = await addFunction(owner, creates);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const id = executionOf(await run(owner, name, { name: "No room" }, headers));
    const client = await databaseClient();
    try {
      const executions = client.db(owner.organizationId).collection<{ _id: string }>("function_execution");
      const unstarted = { $set: { status: "unstarted" }, $unset: { outcome: "" } } as const;
      expect((await executions.updateOne({ _id: id }, unstarted as object)).matchedCount).toBe(1);
      await client.db(owner.organizationId).collection<{ _id: string }>("log").deleteOne({ _id: id });
    } finally {
      await client.close();
    }
    const body = { function_name: name, inputs: { name: "No room" } };
    const send = () => http.post("/v1/automation/function", { token: owner.token, body, headers });
    const statuses = (await Promise.all(Array.from({ length: 6 }, send))).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(executionOf(await send())).toBe(id);
    expect(await leads("No room")).toBe(2);
  });
});

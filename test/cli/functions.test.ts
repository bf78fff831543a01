import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { http, registerOrganization } from "../platform.ts";
import { type Machine, signedInMachine } from "./command.ts";
import { createSandbox, leadsIn } from "./workspaces.ts";

const codeOf = (...lines: string[]): string => `${lines.join("\n")}\n`;

const ok = async (device: Machine, ...args: string[]) => {
  const run = await device.run(args);
  expect(`${run.code} ${run.stderr}`).toMatch(/^0 /);
  return run;
};

const write = async (device: Machine, file: string, text: string): Promise<void> => {
  await mkdir(join(device.home, file, ".."), { recursive: true });
  await writeFile(join(device.home, file), text);
};

describe("tenantry function", () => {
  test("writes a function that works, pushes it once, runs it and shows its log", async () => {
    const owner = await registerOrganization();
    const device = await signedInMachine(owner);
    const leads = [
      { name: "Ada", status: "New" },
      { name: "Bo", status: "New" },
      { name: "Cy", status: "Lost" },
    ];
    await http.post("/v1/object/lead", { token: owner.token, body: leads, expect: 201 });
    await ok(device, "function", "new", "Count leads");
    expect(await readFile(join(device.home, "functions/tenantry.pyi"), "utf8")).toContain("class Platform(Protocol)");
    expect((await ok(device, "function", "push")).stderr).toContain("Created count_leads.py");
    expect((await ok(device, "function", "push")).stderr).toContain("has not changed");
    const { stdout, stderr } = await ok(device, "function", "run", "count_leads.py");
    expect(JSON.parse(stdout)).toEqual({ status: "success", count: 2 });
    expect(stderr).toContain("There are 2 new leads.");
    const logs = await ok(device, "function", "logs", "count_leads.py");
    expect(JSON.parse(logs.stdout)).toMatchObject({ name: "count_leads.py", status: "completed", place: "api" });
    expect((await device.run(["function", "new", "Count leads"])).code).toBe(2);
  });

  test("shows the line of code that the platform refuses", async () => {
    const device = await signedInMachine(await registerOrganization());
    const code = codeOf("import os", "", "async def execute(platform, **kwargs):", "    return os.environ");
    await write(device, "functions/bad.py", code);
    const { code: exit, stderr } = await device.run(["function", "push"]);
    expect(exit).toBe(4);
    expect(stderr).toContain("functions/bad.py:1:8: The module os cannot");
    expect(stderr).toContain("import os\n");
  });

  test("passes inputs, and reports a function that fails", async () => {
    const device = await signedInMachine(await registerOrganization());
    const code = codeOf(
      "async def execute(platform, **kwargs):",
      '    await platform.log("Dividing", "info")',
      '    return {"half": kwargs["total"] / kwargs["by"]}',
    );
    await write(device, "functions/halve.py", code);
    await ok(device, "function", "push");
    const args = ["function", "run", "halve.py", "--set", "total=5", "--set"];
    expect(JSON.parse((await ok(device, ...args, "by=2")).stdout)).toEqual({ half: 2.5 });
    const failed = await device.run([...args, "by=0"]);
    expect(failed.code).toBe(4);
    expect(failed.stderr).toMatch(/Dividing[\s\S]*division by zero/);
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: "error", error_type: "ZeroDivisionError" });
    expect((await device.run(["function", "run", "halve.py", "--inputs", "[1]"])).code).toBe(2);
    expect((await device.run(["function", "run", "unknown.py"])).code).toBe(4);
  });

  test("runs a file on the developer's machine, in a sandbox and nowhere else", async () => {
    const owner = await registerOrganization();
    const sandbox = await createSandbox(owner, "dev");
    const device = await signedInMachine(owner);
    const code = codeOf(
      "async def execute(platform, **kwargs):",
      '    lead = await platform.records.create("lead", {"name": kwargs["name"]})',
      "    platform.log(f\"Created {lead['name']}\")",
      '    return {"name": lead["name"], "by": platform.user["email"], "share": 1 / kwargs["by"]}',
    );
    await write(device, "functions/draft.py", code);
    const args = ["function", "run", "--local", "functions/draft.py", "--set", "name=Ada", "--set"];
    const refused = await device.run([...args, "by=2"]);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("only for a sandbox")]);
    const there = await ok(device, ...args, "by=2", "--sandbox", "dev");
    expect(JSON.parse(there.stdout)).toEqual({ name: "Ada", by: owner.email, share: 0.5 });
    expect(there.stderr).toContain("Created Ada");
    const failed = await device.run([...args, "by=0", "--sandbox", "dev"]);
    expect([failed.code, failed.stdout]).toEqual([4, ""]);
    expect(failed.stderr).toContain("ZeroDivisionError: division by zero (draft.py, line 4)");
    expect(await leadsIn(owner, sandbox)).toEqual(["Ada", "Ada"]);
    const logs = await ok(device, "function", "logs", "draft.py", "--sandbox", "dev");
    const places = logs.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(places.map(({ place, status }) => [place, status])).toEqual([
      ["local", "completed"],
      ["local", "failed"],
    ]);
  });

  test("pulls the code, and replaces nothing that is different here unless it is told to", async () => {
    const owner = await registerOrganization();
    const device = await signedInMachine(owner);
    const code = codeOf("async def execute(platform, **kwargs):", "    return 1");
    await http.post("/v1/object/function", {
      token: owner.token,
      body: { name: "One", file_name: "one.py", code },
      expect: 201,
    });
    await ok(device, "function", "pull");
    expect(await readFile(join(device.home, "functions/one.py"), "utf8")).toBe(code);
    await write(device, "functions/one.py", "# mine\n");
    expect((await device.run(["function", "pull", "one.py"])).code).toBe(2);
    await ok(device, "function", "pull", "one.py", "--force");
    expect(await readFile(join(device.home, "functions/one.py"), "utf8")).toBe(code);
  });

  test("shows each execution once as it ends, also one that began before others that are shown", async () => {
    const owner = await registerOrganization();
    const device = await signedInMachine(owner);
    const wait = codeOf(
      "import asyncio",
      "async def execute(platform, **kwargs):",
      '    await platform.records.create("lead", {"name": "begun"})',
      "    while not await platform.query.sql(\"SELECT id FROM lead WHERE name = 'go'\"):",
      "        await asyncio.sleep(0.2)",
    );
    await write(device, "functions/slow.py", wait);
    await write(device, "functions/fast.py", codeOf("async def execute(platform, **kwargs):", "    return 1"));
    await ok(device, "function", "push");
    const execute = (function_name: string) =>
      http.post("/v1/automation/function", { token: owner.token, body: { function_name }, expect: 200 });
    await execute("fast.py");
    const args = [inject("command"), "function", "logs", "--follow", "--json"];
    const child = spawn(process.execPath, args, { cwd: device.home, env: { HOME: device.home } });
    onTestFinished(() => void child.kill("SIGKILL"));
    let shown = "";
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk;
    });
    const names = () => [...shown.matchAll(/"name":"(\w+)\.py"/g)].map(([, name]) => name);
    await expect.poll(names).toEqual(["fast"]);
    const slow = execute("slow.py");
    await expect.poll(() => leadsIn(owner, owner.organizationId)).toEqual(["begun"]);
    await execute("fast.py");
    await expect.poll(names).toEqual(["fast", "fast"]);
    await http.post("/v1/object/lead", { token: owner.token, body: { name: "go" }, expect: 201 });
    await slow;
    await execute("fast.py");
    await expect.poll(names).toEqual(["fast", "fast", "slow", "fast"]);
  });
});

describe("tenantry trigger", () => {
  test("writes a trigger that works, and pushes it", async () => {
    const owner = await registerOrganization();
    const device = await signedInMachine(owner);
    await ok(device, "trigger", "new", "lead", "before_create", "before_update", "--name", "check lead");
    expect((await ok(device, "trigger", "push")).stderr).toContain("Created check_lead.py");
    const refused = await http.post("/v1/object/lead", { token: owner.token, body: { name: "ADA" } });
    expect([refused.status, refused.body.detail[0]]).toEqual([
      422,
      expect.objectContaining({ loc: ["body", "name"], msg: expect.stringContaining("Please do not shout.") }),
    ]);
    await http.post("/v1/object/lead", { token: owner.token, body: { name: "Ada" }, expect: 201 });
  });

  test.each([
    ["without its object and events", codeOf("async def execute(context):", "    pass")],
    ["with an unknown setting", codeOf("# /// tenantry", "# objekt = 'lead'", "# ///")],
    ["with a block that is no TOML", codeOf("# /// tenantry", "# object = lead lead", "# ///")],
  ])("refuses a file %s before anything is sent", async (_, code) => {
    const device = await signedInMachine(await registerOrganization());
    await write(device, "triggers/wrong.py", code);
    expect(await device.run(["trigger", "push"])).toMatchObject({ code: 2, stdout: "" });
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { http, platformUrl, registerOrganization } from "../platform.ts";
import { machine, signedInMachine, withoutColours } from "./command.ts";
import { serve } from "./serve.ts";

const commands = [
  [],
  ["init"],
  ["login"],
  ["logout"],
  ["whoami"],
  ["status"],
  ["query"],
  ["open"],
  ["profile"],
  ["profile", "list"],
  ["profile", "use"],
  ["profile", "add"],
  ["profile", "remove"],
  ["schema"],
  ["schema", "list"],
  ["schema", "get"],
  ["schema", "create"],
  ["schema", "update"],
  ["schema", "delete"],
  ["schema", "generate"],
  ["schema", "pull"],
  ["schema", "push"],
  ["schema", "field"],
  ["schema", "field", "add"],
  ["schema", "field", "update"],
  ["schema", "field", "delete"],
  ["schema", "rule"],
  ["schema", "rule", "add"],
  ["schema", "rule", "list"],
  ["schema", "rule", "delete"],
  ["record"],
  ["record", "list"],
  ["record", "get"],
  ["record", "create"],
  ["record", "update"],
  ["record", "delete"],
  ["sandbox"],
  ["sandbox", "list"],
  ["sandbox", "get"],
  ["sandbox", "create"],
  ["sandbox", "set"],
  ["sandbox", "refresh"],
  ["sandbox", "diff"],
  ["sandbox", "delete"],
  ["sandbox", "use"],
  ["sandbox", "use-parent"],
  ["sandbox", "users"],
  ["sandbox", "users", "add"],
  ["sandbox", "users", "remove"],
  ["function"],
  ["function", "new"],
  ["function", "push"],
  ["function", "pull"],
  ["function", "run"],
  ["function", "logs"],
  ["trigger"],
  ["trigger", "new"],
  ["trigger", "push"],
  ["email"],
  ["email", "send"],
  ["email", "search"],
  ["email", "show"],
  ["email", "preview"],
  ["template"],
  ["template", "push"],
  ["template", "pull"],
  ["template", "preview"],
  ["webhook"],
  ["webhook", "listen"],
  ["notification"],
  ["notification", "send"],
  ["notification", "list"],
  ["notification", "read"],
  ["automation"],
  ["automation", "push"],
  ["automation", "run"],
  ["deploy"],
  ["deploy", "app"],
  ["deploy", "app", "sandbox"],
];

describe("the help of the command line", () => {
  test.each(commands.map((command) => [command.join(" "), command]))(
    "tenantry %s --help fits 80 columns",
    async (_, command) => {
      const device = await machine();
      const { code, stdout, stderr } = await device.run([...command, "--help"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`Usage: ${["tenantry", ...command].join(" ")}`);
      const isGroup = /^Commands:|\[command\]/m.test(stdout);
      if (!isGroup) expect(stdout).toContain("Examples:\n");
      const parts = isGroup ? [...stdout.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, part]) => part) : [];
      const named = parts.filter((part) => part !== "help").map((part) => [...command, part].join(" "));
      expect(named.filter((name) => !commands.some((listed) => listed.join(" ") === name))).toEqual([]);
      const beforeExamples = stdout.split("Examples:")[0] ?? "";
      expect(beforeExamples.split("\n").filter((line) => line.length > 80)).toEqual([]);
    },
  );

  test("a mistyped command or option is reported with a suggestion, and gives exit code 2", async () => {
    const device = await machine();
    expect(await device.run(["qurey"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean query?"),
    });
    expect(await device.run(["query", "--ouput", "csv"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--output"),
    });
    expect(await device.run(["query", "--output", "xml"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("ndjson"),
    });
    expect(await device.run(["record", "list"])).toMatchObject({ code: 2, stderr: expect.stringContaining("object") });
    expect(await device.run(["record", "list", "lead", "--limit", "x"])).toMatchObject({ code: 2 });
  });
});

describe("the command line without a platform", () => {
  test("exits with code 5 and advice if nothing listens or the host is unknown", async () => {
    const device = await machine();
    // No system gives this port to a server that asks for any.
    expect(await device.run(["status", "--url", "http://127.0.0.1:2"])).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringContaining("nothing listens there"),
    });
    expect(await device.run(["status", "--url", "https://tenantry.invalid"])).toMatchObject({ code: 5 });
  });

  test("reports a server that is no platform, and an invalid address", async () => {
    const device = await machine();
    const page = await serve((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>"),
    );
    expect(await device.run(["login", "--email", "a@b.test", "--url", page], { stdin: "x" })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("but not as Tenantry does"),
    });
    const moved = await serve((_, response) => response.writeHead(301, { location: "https://new.example/" }).end());
    expect(await device.run(["status", "--url", moved])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("https://new.example/"),
    });
    expect(await device.run(["status", "--url", "ftp://x"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not the address"),
    });
  });
});

test("retries after the time that a busy platform names, and after a lost reply", async () => {
  const owner = await registerOrganization();
  const device = await signedInMachine(owner);
  const times: number[] = [];
  const url = await serve(async (request, response) => {
    times.push(Date.now());
    if (times.length === 1)
      response.writeHead(503, { "retry-after": "1", "content-type": "application/json" }).end("{}");
    else if (times.length === 2) request.socket.destroy();
    else if (times.length === 3)
      response.writeHead(429, { "retry-after": "0", "content-type": "application/json" }).end("{}");
    else {
      const { authorization = "", "idempotency-key": key } = request.headers;
      const body = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString();
      const reply = await fetch(`${platformUrl}${request.url}`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", "idempotency-key": String(key) },
        body,
      });
      response.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
    }
  });
  const env = { TENANTRY_TOKEN: owner.token, TENANTRY_URL: url };
  const { code, stderr } = await device.run(["record", "create", "lead", '[{"name":"a"},{"name":"b"}]'], { env });
  expect(stderr).toContain("2 records created");
  expect(code).toBe(0);
  expect(times).toHaveLength(4);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000);
});

describe("the output of the command line", () => {
  test("succeeds if the reader closes the pipe early", async () => {
    const owner = await registerOrganization();
    const device = await signedInMachine(owner);
    const leads = Array.from({ length: 500 }, (_, index) => ({ name: `Lead ${index} ${"x".repeat(200)}` }));
    for (let batch = 0; batch < 4; batch += 1)
      await http.post("/v1/object/lead", { token: owner.token, body: leads, expect: 201 });
    const { code, stdout, stderr } = await device.shell(
      "set -o pipefail; tenantry query 'SELECT * FROM lead' | head -n 2",
    );
    expect({ code, stderr, lines: stdout.trim().split("\n").length }).toEqual({ code: 0, stderr: "", lines: 2 });
    const all = await device.run(["query", "SELECT name FROM lead LIMIT 300", "--all", "--output", "json"]);
    expect(JSON.parse(all.stdout)).toHaveLength(2000);
  });

  test("opens the API reference on a terminal, and ends without waiting for the browser", async () => {
    const device = await machine();
    const { code, stdout } = await device.onTerminal(["open", "--url", platformUrl]);
    expect(withoutColours(stdout)).toContain(`${platformUrl}/docs`);
    expect(code).toBe(0);
  });

  test("does not pass control characters in data to the terminal", async () => {
    const owner = await registerOrganization();
    const device = await signedInMachine(owner);
    const name = "evil \u001b]0;title\u0007\u001b[31m name \u202e";
    await http.post("/v1/object/lead", { token: owner.token, body: { name }, expect: 201 });
    const { stdout } = await device.onTerminal(["query", "SELECT name FROM lead"]);
    expect(stdout).not.toContain("\u001b]0;");
    expect(stdout).not.toContain("\u001b[31m");
    expect(withoutColours(stdout)).toContain("evil");
    const { stdout: json } = await device.run(["query", "SELECT name FROM lead"]);
    expect(JSON.parse(json)).toEqual({ name });
  });

  test("options have precedence over the environment, that over the workspace, that over the current profile", async () => {
    const owner = await registerOrganization();
    const device = await signedInMachine(owner);
    const asked = async (args: string[], env = {}) =>
      (await device.run(["open", "--print", ...args], { env, cwd })).stdout.trim();
    const cwd = device.home;
    expect(await asked([])).toBe(`${platformUrl}/docs`);
    await writeFile(join(cwd, "tenantry.json"), JSON.stringify({ url: "https://workspace.test/" }));
    expect(await asked([])).toBe("https://workspace.test/docs");
    expect(await asked([], { TENANTRY_URL: "https://environment.test" })).toBe("https://environment.test/docs");
    expect(await asked(["--url", "option.test"], { TENANTRY_URL: "https://environment.test" })).toBe(
      "https://option.test/docs",
    );
    await writeFile(join(cwd, "tenantry.json"), "[]");
    expect(await device.run(["status"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a JSON object"),
    });
  });
});

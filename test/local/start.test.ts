import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "./run.ts";

const root = join(import.meta.dirname, "..", "..");

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

const startModule = join(root, "infra", "start.ts");
const npmStart = [startModule];
/** The same without the demo's data, which would need a database. */
const bareStart = [
  "--input-type=module",
  "--eval",
  `import { start } from ${JSON.stringify(startModule)}; await start(async () => []);`,
  "--",
];

/** Runs `npm start`. Its data are removed after the test. */
const command = (entry: readonly string[], environment: Record<string, string>, ...options: string[]) => {
  const dataDir = environment.DATA_DIR ?? temporaryDirectory();
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", join(root, "infra", "require-node.mjs"), ...entry, ...options],
    {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        MONGODB_URI: "mongodb://127.0.0.1:9/",
        PORT: "0",
        ...environment,
        DATA_DIR: dataDir,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  let errors = "";
  const waiting = new Map<RegExp, (found: RegExpExecArray) => void>();
  const look = (): void => {
    for (const [pattern, found] of waiting) {
      const match = pattern.exec(output);
      if (match === null) continue;
      waiting.delete(pattern);
      found(match);
    }
  };
  child.stdout?.on("data", (chunk) => {
    output += String(chunk);
    look();
  });
  child.stderr?.on("data", (chunk) => {
    errors += String(chunk);
  });
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, output, errors })));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    child,
    ended,
    dataDir,
    printed: (pattern: RegExp): Promise<RegExpExecArray> => {
      const found = new Promise<RegExpExecArray>((resolve) => void waiting.set(pattern, resolve));
      look();
      return Promise.race([
        found,
        ended.then((end) => {
          throw new Error(`It ended with ${end.code}: ${end.output}${end.errors}`);
        }),
      ]);
    },
  };
};

const refused = async (environment: Record<string, string>, ...options: string[]): Promise<string> => {
  const { code, errors } = await command(npmStart, environment, ...options).ended;
  expect(code).toBe(1);
  expect(errors).toMatch(/^[^\n]+\n$/);
  return errors.trim();
};

describe("npm start", () => {
  test("prints its address, logs one line for each request, and stops cleanly", async () => {
    const { printed, child, ended, dataDir } = command(bareStart, {});
    const [, url] = await printed(/Tenantry answers at (\S+) \(started in [\d.]+ s\)/);
    expect((await fetch(`${url}/v1/status`)).status).toBe(200);
    await fetch(`${url}/nowhere?secret=1`);
    await printed(/nowhere/);
    child.kill("SIGINT");
    const { code, output, errors } = await ended;
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toContain(dataDir);
    const lines = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    expect(lines).toEqual([
      {
        time: expect.stringMatching(/Z$/),
        method: "GET",
        route: "/v1/status",
        status: 200,
        ms: expect.any(Number),
        request_id: expect.any(String),
      },
      expect.objectContaining({ path: "/nowhere", status: 404 }),
    ]);
    // The data are unlocked and can be used again, and --verbose shows the handlers' own lines.
    const again = command(bareStart, { DATA_DIR: dataDir }, "--verbose");
    const [, second] = await again.printed(/Tenantry answers at (\S+) /);
    await fetch(`${second}/v1/status`);
    await again.printed(/"function":"tenantry-local-get-status"/);
    again.child.kill("SIGTERM");
    expect((await again.ended).code).toBe(0);
  });

  test("ends at once at a second signal", async () => {
    const { printed, child, ended } = command(bareStart, {});
    const [, url] = await printed(/Tenantry answers at (\S+) /);
    // The stop waits for this request, whose body never comes.
    const headers = { "content-length": "1", expect: "100-continue" };
    const open = request(`${url}/v1/register`, { method: "POST", headers }).on("error", () => undefined);
    open.flushHeaders();
    await once(open, "continue");
    child.kill("SIGTERM");
    await printed(/Stopping/);
    // Signals within 300 ms count as one, because npm forwards them once more.
    const again = setInterval(() => child.kill("SIGTERM"), 50);
    expect((await ended).code).toBe(130);
    clearInterval(again);
  });
});

describe("npm start prints one sentence and fails if it cannot start", () => {
  test("for a port in use", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const address = holder.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect(await refused({ PORT: String(port) })).toMatch(`Port ${port} is already in use`);
    expect(await refused({}, "--port", String(port))).toMatch(`Port ${port} is already in use`);
    holder.close();
  });

  test("for an invalid port or an unknown option", async () => {
    expect(await refused({ PORT: "http" })).toBe("http is not a port.");
    expect(await refused({}, "--nonsense")).toMatch("'--nonsense'");
  });

  test("for damaged data", async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "tenantry-data.json"), '{"format":1}');
    writeFileSync(join(dataDir, "secrets.json"), "{");
    expect(await refused({ DATA_DIR: dataDir })).toMatch(/secrets\.json is damaged; .*--reset\.$/);
  });

  test("for a directory with other contents", async () => {
    const dataDir = temporaryDirectory();
    writeFileSync(join(dataDir, "notes.txt"), "");
    expect(await refused({ DATA_DIR: dataDir }, "--reset")).toMatch("holds other files");
  });

  test("for a missing or too old python3", async () => {
    const directory = temporaryDirectory();
    onTestFinished(() => rmSync(directory, { recursive: true }));
    expect(await refused({ PATH: directory })).toBe(
      "python3 is missing, and tenants' functions need it: install Python 3.11 or later.",
    );
    mkdirSync(join(directory, "old"));
    writeFileSync(join(directory, "old", "python3"), "#!/bin/sh\necho 3.9\n", { mode: 0o755 });
    symlinkSync("/bin/sh", join(directory, "old", "sh"));
    expect(await refused({ PATH: join(directory, "old") })).toMatch("python3 is version 3.9");
  });
});

import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { DEMO_PASSWORD, demoUsers } from "../../infra/demo/data.ts";
import { runScript } from "./npm-process.ts";

/** Almost all starts share the data, so each shows that the one before left it intact. */
const dataDir = mkdtempSync(join(tmpdir(), "tenantry-killed-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const acknowledged: string[] = [];

const start = (directory = dataDir) => runScript("start", { DATA_DIR: directory });
type Started = Awaited<ReturnType<typeof start>>;

const status = async (url: string): Promise<number> =>
  (await fetch(`${url}/v1/status`).catch(() => undefined))?.status ?? 0;

const send = (url: string, token: string, body: unknown): Promise<Response | undefined> =>
  fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => undefined);

/** Signs in when it answers, and checks that every acknowledged record exists. */
const signIn = async ({ url, until }: Started): Promise<string> => {
  await until(async () => (await status(url)) === 200);
  const body = new URLSearchParams({ username: demoUsers.owner.email, password: DEMO_PASSWORD });
  const reply = (await (await fetch(`${url}/v1/oauth2/login`, { method: "POST", body })).json()) as Record<
    string,
    string
  >;
  const token = reply.access_token ?? "";
  for (const id of acknowledged) {
    const record = await fetch(`${url}/v1/object/lead/${id}`, { headers: { authorization: `Bearer ${token}` } });
    expect([id, record.status]).toEqual([id, 200]);
  }
  return token;
};

/** Writes records one after another until the platform stops answering. Resolves when the first is acknowledged. */
const keepWriting = async ({ url }: Started, token: string): Promise<void> => {
  const write = async (): Promise<boolean> => {
    const reply = await send(`${url}/v1/object/lead`, token, { name: "Kept", status: "New" });
    if (reply?.status !== 201) return false;
    const { id } = (await reply.json().catch(() => ({}))) as { id?: string };
    if (id !== undefined) acknowledged.push(id);
    return id !== undefined;
  };
  expect(await write()).toBe(true);
  void (async () => {
    while (await write());
  })();
};

/** Keeps the database busy for longer than the test waits. */
const compute = ({ url }: Started, token: string): void => {
  const join = { $lookup: { from: "lead", pipeline: [], as: "other" } };
  const stages = [join, { $unwind: "$other" }, join, { $unwind: "$other" }, { $count: "rows" }];
  const body = { collection: "lead", pipeline: stages };
  for (let index = 0; index < 4; index += 1) void send(`${url}/v1/query/docdb`, token, body);
};

describe("npm start leaves no process behind, and nothing acknowledged is lost", () => {
  test("after SIGTERM to the process group while it starts", async () => {
    // The next test waits for the first mail of the demo, so it begins without data.
    const directory = mkdtempSync(join(tmpdir(), "tenantry-killed-early-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const started = await start(directory);
    await started.until(async () => (await status(started.url)) === 503);
    started.killGroup("SIGTERM");
    await started.gone();
  });

  test("after Ctrl-C while the demo's data are written", async () => {
    const started = await start();
    const mails = (): string[] => (existsSync(join(dataDir, "mail")) ? readdirSync(join(dataDir, "mail")) : []);
    await started.until(async () => mails().length > 0 && (await status(started.url)) === 503);
    started.killGroup("SIGINT");
    await started.gone();
    expect(started.output()).not.toContain("Tenantry answers");
  });

  test("after SIGTERM to npm alone, while records are written", async () => {
    const started = await start();
    const token = await signIn(started);
    await keepWriting(started, token);
    started.npm.kill("SIGTERM");
    await started.gone();
  });

  test("after SIGKILL of npm, while the database computes", async () => {
    const started = await start();
    const token = await signIn(started);
    await keepWriting(started, token);
    compute(started, token);
    started.npm.kill("SIGKILL");
    await started.gone();
  });

  test("after SIGKILL of the platform's own process, while the database sees nothing", async () => {
    const started = await start();
    const token = await signIn(started);
    await keepWriting(started, token);
    process.kill(started.database(), "SIGSTOP");
    process.kill(started.platform(), "SIGKILL");
    await started.gone();
  });

  test("after SIGKILL of the database, and it says so", async () => {
    const started = await start();
    const token = await signIn(started);
    await keepWriting(started, token);
    process.kill(started.database(), "SIGKILL");
    await started.gone();
    expect(started.output()).toContain("The embedded database has ended.");
  });

  test("after the end of its terminal, while the database sees nothing", async () => {
    const started = await start();
    await signIn(started);
    process.kill(started.database(), "SIGSTOP");
    started.npm.stdout?.destroy();
    started.npm.stderr?.destroy();
    started.killGroup("SIGHUP");
    await started.gone();
  });
});

test("npm run demo leaves neither a process nor its data behind", async () => {
  const temporary = mkdtempSync(join(tmpdir(), "tenantry-killed-demo-"));
  const folders = () => readdirSync(temporary).filter((name) => name.startsWith("tenantry"));
  const demo = await runScript("demo", { TMPDIR: temporary });
  await demo.until(() => folders().some((name) => existsSync(join(temporary, name, "mail"))));
  demo.npm.kill("SIGTERM");
  await demo.gone();
  expect(folders()).toEqual([]);
  rmSync(temporary, { recursive: true });
});

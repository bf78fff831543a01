import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { DEMO_PASSWORD, demoUsers } from "../../infra/demo/data.ts";
import { runScript } from "./npm-process.ts";

const dataDir = mkdtempSync(join(tmpdir(), "tenantry-killed-functions-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

type Started = Awaited<ReturnType<typeof runScript>>;

/** Without a body it reads. Every POST has the same key, and one of each is sent. */
const call = async ({ url }: Started, token: string, path: string, body?: unknown) =>
  fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "one" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => undefined);

const start = async (): Promise<{ started: Started; token: string }> => {
  const started = await runScript("start", { DATA_DIR: dataDir });
  await started.until(async () => (await fetch(`${started.url}/v1/status`).catch(() => undefined))?.status === 200);
  const body = new URLSearchParams({ username: demoUsers.owner.email, password: DEMO_PASSWORD });
  const reply = await fetch(`${started.url}/v1/oauth2/login`, { method: "POST", body });
  return { started, token: ((await reply.json()) as { access_token: string }).access_token };
};

const query = async (started: Started, token: string, text: string): Promise<Record<string, unknown>[]> => {
  const reply = await call(started, token, "/v1/query", { query: text, bypass_cache: true });
  return ((await reply?.json()) as { records?: Record<string, unknown>[] } | undefined)?.records ?? [];
};

const CODE = `import asyncio

async def execute(platform, **kwargs):
    await platform.records.create("lead", {"name": "Written before the kill"})
    await asyncio.sleep(60)
    return 1
`;

const written = "SELECT id FROM lead WHERE name = 'Written before the kill'";

test("a function whose platform was killed is failed as interrupted, and its key gives that outcome", async () => {
  let { started, token } = await start();
  const record = { name: "Slow", file_name: "slow.py", code: CODE, timeout_seconds: 20 };
  expect((await call(started, token, "/v1/object/function", record))?.status).toBe(201);
  const run = (to: Started) => call(to, token, "/v1/automation/function", { function_name: "slow.py" });
  void run(started);
  while ((await query(started, token, written)).length === 0) await setTimeout(20);
  process.kill(started.platform(), "SIGKILL");
  await started.gone();

  ({ started, token } = await start());
  const logs = "SELECT id, status, kind, place FROM log WHERE name = 'slow.py'";
  const failed = async (): Promise<boolean> => (await query(started, token, logs)).length > 0;
  await expect.poll(failed, { timeout: 240_000, interval: 500 }).toBe(true);
  const [log] = await query(started, token, logs);
  expect(log).toMatchObject({ status: "failed", kind: "function", place: "api" });
  const shown = await call(started, token, `/v1/automation/executions/${log?.id}`);
  expect(await shown?.json()).toMatchObject({ status: "failed", error: { kind: "interrupted" } });

  const again = await run(started);
  expect(again?.status).toBe(200);
  expect(again?.headers.get("x-execution-id")).toBe(log?.id);
  expect(await again?.json()).toMatchObject({ status: "error", error_type: "interrupted" });
  expect(await query(started, token, written)).toHaveLength(1);
  started.killGroup("SIGTERM");
  await started.gone();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DEMO_PASSWORD, demoUsers } from "../../infra/demo/data.ts";
import { runScript } from "./npm-process.ts";

const dataDir = mkdtempSync(join(tmpdir(), "tenantry-killed-triggers-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

type Started = Awaited<ReturnType<typeof runScript>>;

const start = async (): Promise<{ started: Started; token: string }> => {
  const started = await runScript("start", { DATA_DIR: dataDir });
  await started.until(async () => (await fetch(`${started.url}/v1/status`).catch(() => undefined))?.status === 200);
  const body = new URLSearchParams({ username: demoUsers.owner.email, password: DEMO_PASSWORD });
  const reply = await fetch(`${started.url}/v1/oauth2/login`, { method: "POST", body });
  return { started, token: ((await reply.json()) as { access_token: string }).access_token };
};

const caller =
  ({ url }: Started, token: string) =>
  async (method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> => {
    const reply = await fetch(`${url}/v1/object/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    return { status: reply?.status ?? 0, body: await reply?.json().catch(() => undefined) };
  };

const CODE = `import asyncio
async def execute(context):
    await context.records.create("task", {"name": "of the killed write"})
    await context.workflows.run_function("halfway.py", {})
    await asyncio.sleep(60)
`;

test("a SIGKILL in the middle of a sync trigger leaves nothing of the write and of what the trigger wrote", async () => {
  let { started, token } = await start();
  let call = caller(started, token);
  const trigger = {
    name: "slow",
    file_name: "slow.py",
    code: CODE,
    object_api_name: "company",
    events: ["after_create"],
  };
  // The log record of an execution is written when it ends, and shows how far the trigger has come.
  const code = "async def execute(platform, **kwargs):\n    pass\n";
  expect((await call("POST", "function", { name: "Halfway", file_name: "halfway.py", code })).status).toBe(201);
  const { body } = await call("POST", "record_trigger", trigger);
  void call("POST", "company", { name: "Killed" });
  await started.until(async () => JSON.stringify((await call("GET", "log?limit=1000")).body).includes("halfway"));
  process.kill(started.platform(), "SIGKILL");
  await started.gone();

  ({ started, token } = await start());
  call = caller(started, token);
  const seen = async (object: string) => JSON.stringify((await call("GET", `${object}?limit=1000`)).body);
  expect(await seen("company")).not.toContain("Killed");
  expect(await seen("task")).not.toContain("of the killed write");
  expect((await call("DELETE", `record_trigger/${(body as { id: string }).id}`)).status).toBe(200);
  expect((await call("POST", "company", { name: "After" })).status).toBe(201);
  expect(await seen("task")).not.toContain("of the killed write");
  started.killGroup("SIGTERM");
  await started.gone();
});

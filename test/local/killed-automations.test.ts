import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DEMO_PASSWORD, demoUsers } from "../../infra/demo/data.ts";
import { runScript } from "./npm-process.ts";

const dataDir = mkdtempSync(join(tmpdir(), "tenantry-killed-automations-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

type Started = Awaited<ReturnType<typeof runScript>>;

const node = (id: string, type: string, config: object = {}) => ({ id, type, config });

/** A trigger, these nodes one after the other, and a return. */
const inRow = (nodes: readonly ReturnType<typeof node>[]) => {
  const all = [node("start", "trigger", { kind: "manual" }), ...nodes, node("end", "return")];
  return { nodes: all, edges: all.slice(1).map(({ id }, index) => ({ from: all[index]?.id, to: id })) };
};

/** Without a body it reads. */
const call = async ({ url }: Started, token: string, path: string, body?: unknown) =>
  fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
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

const HALFWAY = "async def execute(platform, **kwargs):\n    pass\n";

/** The log record of the function that it runs shows that it has begun. */
const slow = (context: string, rest = ""): string => `import asyncio

async def execute(${context}${rest}):
    await ${context}.workflows.run_function("halfway.py", {})
    await asyncio.sleep(60)
`;

const save = async (started: Started, token: string, object: string, record: object): Promise<string> => {
  const reply = await call(started, token, `/v1/object/${object}`, record);
  const body = (await reply?.json()) as { id: string } | undefined;
  expect(reply?.status, JSON.stringify(body)).toBe(201);
  return body?.id ?? "";
};

const lead = (id: string, name: string) => node(id, "create_record", { object: "lead", values: { name } });

/** In the middle of which node each automation is killed. The nodes before and after it write a lead. */
const killedAt: Readonly<Record<string, ReturnType<typeof node>>> = {
  function: node("slow", "function", { function_name: "slow.py" }),
  // The record has a sync trigger that takes long.
  create_record: node("slow", "create_record", { object: "company", values: { name: "Never written" } }),
  update_record: node("slow", "update_record", {
    object: "company",
    id: { "=": "inputs.company" },
    values: { name: "No" },
  }),
};

test("automations whose platform was killed are failed at their node, and one that waits goes on once", async () => {
  let { started, token } = await start();
  const company = await save(started, token, "company", { name: "Before" });
  await save(started, token, "function", { name: "Halfway", file_name: "halfway.py", code: HALFWAY });
  await save(started, token, "function", { name: "Slow", file_name: "slow.py", code: slow("platform", ", **kwargs") });
  await save(started, token, "record_trigger", {
    name: "Slow",
    file_name: "slow_trigger.py",
    code: slow("context"),
    object_api_name: "company",
    events: ["before_create", "before_update"],
  });
  const ids: Record<string, string> = {};
  for (const [kind, slow] of Object.entries(killedAt)) {
    const drawing = inRow([lead("first", `First of ${kind}`), slow, lead("last", `Last of ${kind}`)]);
    ids[kind] = await save(started, token, "automation", { name: `Killed at ${kind}`, active: true, ...drawing });
  }
  const waiting = inRow([
    lead("first", "First of delay"),
    node("wait", "delay", { seconds: 5 }),
    lead("last", "Last of delay"),
  ]);
  const delayed = await save(started, token, "automation", { name: "Killed at delay", active: true, ...waiting });
  expect((await call(started, token, `/v1/automation/${delayed}`, {}))?.status).toBe(202);
  for (const id of Object.values(ids)) void call(started, token, `/v1/automation/${id}`, { inputs: { company } });
  const written = async (which: string) =>
    query(started, token, `SELECT name FROM lead WHERE name LIKE '${which} of %'`);
  const halfway = () => query(started, token, "SELECT id FROM log WHERE name = 'halfway.py'");
  await expect.poll(async () => (await halfway()).length, { timeout: 240_000 }).toBe(3);
  expect(await written("First")).toHaveLength(4);
  process.kill(started.platform(), "SIGKILL");
  await started.gone();

  ({ started, token } = await start());
  const logs = () =>
    query(started, token, "SELECT name, status, message FROM log WHERE kind = 'automation' ORDER BY name");
  await expect.poll(async () => (await logs()).length, { timeout: 240_000, interval: 1_000 }).toBe(4);
  const interrupted = { status: "failed", message: expect.stringContaining('interrupted at the node "slow"') };
  expect(await logs()).toMatchObject([
    { name: "Killed at create_record", ...interrupted },
    { name: "Killed at delay", status: "completed" },
    { name: "Killed at function", ...interrupted },
    { name: "Killed at update_record", ...interrupted },
  ]);
  expect(await written("Last")).toEqual([{ name: "Last of delay" }]);
  expect(await written("First")).toHaveLength(4);
  expect(await query(started, token, "SELECT name FROM company WHERE name IN ('Never written', 'No')")).toEqual([]);
  started.killGroup("SIGTERM");
  await started.gone();
});

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { DEMO_PASSWORD, demoUsers } from "../../infra/demo/data.ts";
import { runScript } from "./npm-process.ts";

const dataDir = mkdtempSync(join(tmpdir(), "tenantry-killed-sandboxes-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

type Started = Awaited<ReturnType<typeof runScript>>;

interface Sandbox {
  readonly status?: string;
  readonly progress?: { readonly step: string };
}

const call = async ({ url }: Started, token: string, method: string, path: string, body?: unknown) =>
  fetch(`${url}${path}`, {
    method,
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

const show = async (started: Started, token: string): Promise<Sandbox | undefined> =>
  (await (await call(started, token, "GET", "/v1/sandbox/box"))?.json()) as Sandbox | undefined;

const ENDS: readonly (string | undefined)[] = ["active", "failed", undefined];

/**
 * Begins an operation, waits until it comes to a step or has passed it unseen, and kills the platform's own process.
 */
const killAt = async (
  started: Started,
  token: string,
  step: string,
  begin: () => Promise<Response | undefined>,
): Promise<void> => {
  let reply: Response | undefined;
  void begin().then((answered) => {
    reply = answered;
  });
  for (;;) {
    const mayBeOver = reply !== undefined;
    // The kill ends a request without a reply.
    expect(reply?.ok ?? true, `the reply has the status ${reply?.status}`).toBe(true);
    const { status, progress } = (await show(started, token)) ?? {};
    if (progress?.step === step || (mayBeOver && ENDS.includes(status))) break;
    await setTimeout(2);
  }
  process.kill(started.platform(), "SIGKILL");
  await started.gone();
};

const settled = async (started: Started, token: string): Promise<string> => {
  for (;;) {
    const { status = "gone" } = (await show(started, token)) ?? {};
    if (["active", "failed", "gone"].includes(status)) return status;
    await setTimeout(100);
  }
};

test("operations on a sandbox go on after a SIGKILL of the platform and its restart", async () => {
  let { started, token } = await start();
  await killAt(started, token, "copy-configuration", () =>
    call(started, token, "POST", "/v1/sandbox", { name: "box" }),
  );

  ({ started, token } = await start());
  expect(await settled(started, token)).toBe("active");
  await killAt(started, token, "switch-over", () => call(started, token, "POST", "/v1/sandbox/box/refresh", {}));

  ({ started, token } = await start());
  expect(await settled(started, token)).toBe("active");
  const diff = await (await call(started, token, "GET", "/v1/sandbox/box/diff"))?.json();
  expect(diff).toMatchObject({ identical: true });
  await killAt(started, token, "leave-lists", () => call(started, token, "DELETE", "/v1/sandbox/box"));

  ({ started, token } = await start());
  expect(await settled(started, token)).toBe("gone");
  const again = await call(started, token, "POST", "/v1/sandbox", { name: "box" });
  expect([201, 202]).toContain(again?.status);
  expect(await settled(started, token)).toBe("active");
  started.killGroup("SIGTERM");
  await started.gone();
});

import { beforeAll, expect, test } from "vitest";
import { registerOrganization, type User } from "../platform.ts";
import { type Machine, machine } from "./command.ts";
import { type Answer, relay } from "./relay.ts";
import { createSandbox, leadsIn, refreshSandbox, workspace } from "./workspaces.ts";

let owner: User;
let sandbox: string;

beforeAll(async () => {
  owner = await registerOrganization("Acme");
  sandbox = await createSandbox(owner, "staging");
});

/** A machine that reaches the platform through that server, and a workspace there. */
const through = async (url: string, settings: object): Promise<{ device: Machine; cwd: string }> => {
  const device = await machine();
  const login = ["login", "--password", "--email", owner.email, "--url", url];
  const { code, stderr } = await device.run(login, { stdin: owner.password });
  if (code !== 0) throw new Error(stderr);
  return { device, cwd: await workspace(device, "w", { url, ...settings }) };
};

const refreshing: Answer = {
  status: 503,
  headers: { "retry-after": "0" },
  body: { detail: "This sandbox is being refreshed; try again in a moment.", code: "sandbox_refreshing" },
};

test("reads and repeatable writes wait while a sandbox is refreshed, and others fail", async () => {
  let left = 0;
  let asked = 0;
  const url = await relay(
    () => undefined,
    ({ path }) => {
      const isData = /^\/v1\/(object|schema|query)/.test(path);
      if (isData) asked += 1;
      left -= isData ? 1 : 0;
      return Promise.resolve(isData && left >= 0 ? refreshing : undefined);
    },
  );
  const { device, cwd } = await through(url, { sandbox: "staging" });
  const asking = async (times: number, ...args: string[]) => {
    [left, asked] = [times, 0];
    return (await device.run(args, { cwd })).code;
  };
  expect([await asking(8, "record", "list", "lead"), asked]).toEqual([0, 9]);
  expect([await asking(8, "query", "SELECT name FROM lead"), asked]).toEqual([0, 9]);
  expect([await asking(8, "record", "create", "lead", '{"name": "waited"}'), asked]).toEqual([0, 9]);
  expect([await asking(8, "schema", "create", "Hasty"), asked]).toEqual([5, 4]);
  expect((await leadsIn(owner, sandbox)).filter((name) => name === "waited")).toHaveLength(1);
});

test("an import during which the sandbox is refreshed fails, because its first records are gone", async () => {
  let batches = 0;
  const url = await relay(
    () => undefined,
    async ({ method, path }) => {
      if (method === "POST" && path === "/v1/object/lead") batches += 1;
      if (batches === 2 && method === "POST") await refreshSandbox(owner, "staging");
      return undefined;
    },
  );
  const { device, cwd } = await through(url, { sandbox: "staging" });
  const rows = ["a", "b", "c", "d", "e"].map((name) => ({ name: `imported ${name}` }));
  const run = () =>
    device.run(["record", "create", "lead", "--batch", "2", "--parallel", "1", JSON.stringify(rows)], { cwd });
  expect(await run()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The sandbox staging of Acme was refreshed meanwhile."),
  });
  expect(await leadsIn(owner, sandbox)).toEqual(["imported c", "imported d", "imported e"]);
  batches = 10;
  expect((await run()).code).toBe(0);
});

const copy = (state: object) => ({
  id: "org_x_s_qa",
  name: "Acme (Sandbox: qa)",
  is_sandbox: true,
  parent_organization_id: "org_x",
  sandbox_name: "qa",
  description: null,
  status: "provisioning",
  progress: { step: "copy_configuration", done: 3, total: 17 },
  failure: null,
  enable_schedules: false,
  users: 0,
  created_date: "2026-11-22T00:00:00.000Z",
  refreshed_date: null,
  ...state,
});

/** A platform on which `sandbox create qa` is answered by these, of which the last one is repeated. */
const answering = (created: Answer, ...states: object[]): Promise<string> =>
  relay(
    () => undefined,
    ({ method, path }) => {
      if (method === "POST" && path === "/v1/sandbox") return Promise.resolve(created);
      if (path !== "/v1/sandbox/qa") return Promise.resolve(undefined);
      const state = states.length > 1 ? states.shift() : states[0];
      return Promise.resolve({ status: 200, body: copy(state ?? {}) });
    },
  );

test("the creation of a sandbox is followed to its end, and a failure is told with its reason", async () => {
  const failure = {
    operation: "create",
    step: "copy_users",
    reason: "The cluster is full.",
    at: copy({}).created_date,
  };
  const failed = { status: "failed", failure };
  const { device, cwd } = await through(await answering({ status: 202, body: copy({}) }, {}, failed), {});
  const ended = await device.run(["sandbox", "create", "qa"], { cwd });
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([
    4,
    "",
    expect.stringContaining("The create of qa failed at copy_users: The cluster is full."),
  ]);
  const begun = await through(await answering({ status: 202, body: copy({}) }, {}), {});
  const { code, stdout } = await begun.device.run(["sandbox", "create", "qa", "--no-wait"], { cwd: begun.cwd });
  expect([code, JSON.parse(stdout).status]).toEqual([0, "provisioning"]);
});

test("the creation of a sandbox is followed although it could not be started at once", async () => {
  const late = { status: 503, headers: { "retry-after": "60" }, body: { detail: "x", code: "dependency_unavailable" } };
  const { device, cwd } = await through(await answering(late, {}, {}, { status: "active" }), {});
  const { code, stderr } = await device.run(["sandbox", "create", "qa"], { cwd });
  expect([code, stderr]).toEqual([0, "✓ Created Acme (Sandbox: qa)\n"]);
});

test("Ctrl-C leaves the creation of a sandbox to the platform", async () => {
  const { device, cwd } = await through(await answering({ status: 202, body: copy({}) }, {}), {});
  const { code, stdout } = await device.onTerminal(["sandbox", "create", "qa"], {
    cwd,
    steps: [{ expect: "copy_configuration", send: "\u0003" }],
  });
  expect([code, stdout]).toEqual([130, expect.stringContaining("tenantry sandbox get qa")]);
  expect(stdout.lastIndexOf("\u001b[?25h")).toBeGreaterThan(stdout.lastIndexOf("\u001b[?25l"));
});

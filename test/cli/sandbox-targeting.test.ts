import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { addUser, http, platformUrl, registerOrganization, type User } from "../platform.ts";
import { type Machine, machine, signedInMachine } from "./command.ts";
import { relay } from "./relay.ts";
import { createSandbox, deleteSandbox, expireTokens, leadsIn, settingsOf, workspace } from "./workspaces.ts";

let owner: User;
let sandbox: string;

beforeAll(async () => {
  owner = await registerOrganization("Acme");
  sandbox = await createSandbox(owner, "staging");
});

const add = (device: Machine, cwd: string, name: string, ...options: string[]) =>
  device.run(["record", "create", "lead", "--set", `name=${name}`, ...options], { cwd });

describe("commands of a workspace that names a sandbox", () => {
  test("write into the sandbox beside commands of a workspace that write into production", async () => {
    const device = await signedInMachine(owner);
    const inside = await workspace(device, "inside", { sandbox: "staging" });
    const outside = await workspace(device, "outside");
    for (const round of ["1", "2"]) {
      await expireTokens(device);
      const runs = await Promise.all([
        ...["a", "b"].map((each) => add(device, inside, `beside inside ${round}${each}`)),
        ...["a", "b"].map((each) => add(device, outside, `beside outside ${round}${each}`)),
      ]);
      expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
        [0, "In sandbox staging of Acme\n"],
        [0, "In sandbox staging of Acme\n"],
        [0, ""],
        [0, ""],
      ]);
    }
    const mine = async (organization: string) =>
      (await leadsIn(owner, organization)).filter((name) => name.startsWith("beside"));
    const names = (where: string) => ["1a", "1b", "2a", "2b"].map((each) => `beside ${where} ${each}`);
    expect(await mine(sandbox)).toEqual(names("inside"));
    expect(await mine(owner.organizationId)).toEqual(names("outside"));
    const { profiles } = await device.credentials();
    expect(Object.keys(profiles.default?.access_tokens ?? {}).sort()).toEqual([owner.organizationId, sandbox]);
  });

  test("stop when the sandbox is gone, with a stored token and with a new one", async () => {
    const gone = await registerOrganization("Gone Ltd");
    await createSandbox(gone, "qa");
    const device = await signedInMachine(gone);
    const cwd = await workspace(device, "w", { sandbox: "qa" });
    expect((await add(device, cwd, "before")).code).toBe(0);
    await deleteSandbox(gone, "qa");
    for (const expired of [false, true]) {
      if (expired) await expireTokens(device);
      expect(await add(device, cwd, "lost")).toMatchObject({
        code: 4,
        stdout: "",
        stderr: expect.stringMatching(/Gone Ltd has no sandbox qa\.\n.*tenantry sandbox use-parent/),
      });
    }
    expect(await leadsIn(gone, gone.organizationId)).toEqual([]);
    expect((await device.run(["sandbox", "use-parent"], { cwd })).code).toBe(0);
    expect(await settingsOf(cwd)).toEqual({ url: platformUrl });
    expect((await add(device, cwd, "back")).code).toBe(0);
    expect(await leadsIn(gone, gone.organizationId)).toEqual(["back"]);
  });

  test("stop when another sandbox has the id of the one that they name", async () => {
    const owns = await registerOrganization("Twins Ltd");
    const first = await createSandbox(owns, "integration_a");
    const device = await signedInMachine(owns);
    const cwd = await workspace(device, "w", { sandbox: "integration_a" });
    expect((await add(device, cwd, "before")).code).toBe(0);
    await deleteSandbox(owns, "integration_a");
    expect(await createSandbox(owns, "integration_b")).toBe(first);
    const refused = { code: 4, stderr: expect.stringContaining("no sandbox integration_a") };
    expect(await add(device, cwd, "lost")).toMatchObject(refused);
    await expireTokens(device);
    expect(await add(device, cwd, "lost")).toMatchObject(refused);
    expect(await leadsIn(owns, first)).toEqual([]);
    expect(await leadsIn(owns, owns.organizationId)).toEqual([]);
  });

  test("stop when the platform answers with a token for another organization", async () => {
    const device = await machine();
    let production = "";
    const url = await relay(({ path, reply }) => {
      if (path === "/v1/oauth2/login") production = reply;
      return path === "/v1/auth/switch" ? production : undefined;
    });
    const login = ["login", "--password", "--email", owner.email, "--url", url];
    expect((await device.run(login, { stdin: owner.password })).code).toBe(0);
    const cwd = await workspace(device, "w", { url, sandbox: "staging" });
    expect(await add(device, cwd, "misled")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("It was not used"),
    });
    expect(await leadsIn(owner, owner.organizationId)).not.toContain("misled");
  });

  test("do not use a token of another organization that was stored in place of theirs", async () => {
    const device = await signedInMachine(owner);
    const inside = await workspace(device, "inside", { sandbox: "staging" });
    const outside = await workspace(device, "outside");
    expect((await add(device, inside, "swapped 0")).code).toBe(0);
    const stored = await device.credentials();
    const profile = stored.profiles.default!;
    const [production = "", other = ""] = [owner.organizationId, sandbox].map((id) => profile.access_tokens[id]);
    const access_tokens = { [owner.organizationId]: other, [sandbox]: production };
    const swapped = { ...stored, profiles: { default: { ...profile, access_tokens } } };
    await writeFile(device.credentialsPath, JSON.stringify(swapped));
    expect((await add(device, inside, "swapped inside")).code).toBe(0);
    await writeFile(device.credentialsPath, JSON.stringify(swapped));
    expect((await add(device, outside, "swapped outside")).code).toBe(0);
    const mine = async (organization: string) =>
      (await leadsIn(owner, organization)).filter((name) => name.startsWith("swapped"));
    expect(await mine(sandbox)).toEqual(["swapped 0", "swapped inside"]);
    expect(await mine(owner.organizationId)).toEqual(["swapped outside"]);
  });

  test("are refused if the key cannot be understood or the file cannot be read", async () => {
    const device = await signedInMachine(owner);
    for (const value of [5, "", null, "Staging!", ["staging"]]) {
      const cwd = await workspace(device, "w", { sandbox: value });
      expect(await add(device, cwd, "x")).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("sandbox use-parent"),
      });
      expect((await device.run(["sandbox", "list"], { cwd })).code).toBe(0);
    }
    expect((await device.run(["sandbox", "use-parent"], { cwd: join(device.home, "w") })).code).toBe(0);
    if (process.getuid?.() === 0) return;
    const cwd = await workspace(device, "unreadable", { sandbox: "staging" });
    await chmod(join(cwd, "tenantry.json"), 0o000);
    expect(await add(device, cwd, "x")).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be read") });
  });

  test("are refused if the environment names an organization beside it, until an option decides", async () => {
    const device = await signedInMachine(owner);
    const cwd = await workspace(device, "w", { sandbox: "staging" });
    const organizationFor = async (args: string[], env: Record<string, string>) => {
      const { code, stdout, stderr } = await device.run(["whoami", "--json", ...args], { cwd, env });
      return code === 0 ? JSON.parse(stdout).organization.id : `${code} ${stderr}`;
    };
    const env = { TENANTRY_ORGANIZATION: owner.organizationId };
    expect(await organizationFor([], env)).toMatch(/^2 .*names the sandbox staging, and TENANTRY_ORGANIZATION/);
    expect(await organizationFor(["--sandbox", "staging"], env)).toBe(sandbox);
    expect(await organizationFor(["--organization", owner.organizationId], env)).toBe(owner.organizationId);
    expect(await organizationFor([], { ...env, TENANTRY_SANDBOX: "staging" })).toBe(sandbox);
    expect(await organizationFor(["--organization", sandbox], {})).toBe(sandbox);
    expect(await organizationFor(["--sandbox", "nowhere"], {})).toMatch(/^4 .*no sandbox nowhere/);
  });

  test("use a given token only if it is for that sandbox", async () => {
    const device = await machine();
    const cwd = await workspace(device, "w", { sandbox: "staging" });
    const outside = await workspace(device, "outside", { organization: owner.organizationId });
    const { body } = await http.post("/v1/auth/switch", { token: owner.token, body: { id: sandbox }, expect: 200 });
    const env = { TENANTRY_TOKEN: owner.token };
    const run = (folder: string, environment: Record<string, string>, name: string) =>
      device.run(["record", "create", "lead", "--set", `name=${name}`], { cwd: folder, env: environment });
    expect(await run(cwd, env, "given 1")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("is not for the sandbox staging"),
    });
    const inSandbox = { TENANTRY_TOKEN: body.access_token };
    expect(await run(cwd, inSandbox, "given 2")).toMatchObject({ code: 0, stderr: "In sandbox staging of Acme\n" });
    expect(await run(outside, inSandbox, "given 3")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("is not for the organization"),
    });
    // Where nothing is named, the token decides, and the command tells that it is a sandbox.
    expect(await run(await workspace(device, "open"), inSandbox, "given 4")).toMatchObject({
      code: 0,
      stderr: "In sandbox staging of Acme\n",
    });
    const given = async (organization: string) =>
      (await leadsIn(owner, organization)).filter((name) => name.startsWith("given"));
    expect([await given(owner.organizationId), await given(sandbox)]).toEqual([[], ["given 2", "given 4"]]);
  });

  test("tell where they work for an organization that is named by the id of a sandbox", async () => {
    const device = await signedInMachine(owner);
    expect(await add(device, device.home, "by id", "--organization", sandbox)).toMatchObject({
      code: 0,
      stderr: "In sandbox staging of Acme\n",
    });
    const cwd = await workspace(device, "w", { organization: sandbox });
    expect(await device.run(["sandbox", "list"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  });
});

test("a sign-in after work in a sandbox leaves the profile in production", async () => {
  const someone = await registerOrganization("Back Ltd");
  await createSandbox(someone, "qa");
  const device = await signedInMachine(someone);
  const cwd = await workspace(device, "w", { sandbox: "qa" });
  expect((await add(device, cwd, "inside")).code).toBe(0);
  const login = ["login", "--password", "--email", someone.email, "--url", platformUrl];
  const again = await device.run(login, { stdin: someone.password, cwd });
  expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("Commands here work in sandbox qa of Back")]);
  expect(await add(device, device.home, "outside")).toMatchObject({ code: 0, stderr: "" });
  expect(await leadsIn(someone, someone.organizationId)).toEqual(["outside"]);
  await deleteSandbox(someone, "qa");
  const late = await device.run(login, { stdin: someone.password, cwd });
  expect([late.code, late.stderr]).toEqual([0, expect.stringMatching(/Signed in(.|\n)*no sandbox qa/)]);
  expect((await device.run(["logout"], { cwd })).code).toBe(0);
});

test("a new tenantry.json tells that commands have left the sandbox of the old one", async () => {
  const device = await signedInMachine(owner);
  const cwd = await workspace(device, "w", { sandbox: "staging" });
  const { code, stderr } = await device.run(["init", "--url", platformUrl, "--force"], { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining("do not work in the sandbox staging any more")]);
  await writeFile(join(cwd, "tenantry.json"), JSON.stringify({ url: platformUrl }));
  expect((await device.run(["init", "--url", platformUrl, "--sandbox", "staging", "--force"], { cwd })).code).toBe(0);
  expect(await settingsOf(cwd)).toEqual({ url: platformUrl, sandbox: "staging" });
  expect((await device.run(["init", "--url", platformUrl, "--sandbox", "Staging", "--force"], { cwd })).code).toBe(2);
  await writeFile(join(cwd, "tenantry.json"), "[]");
  expect((await device.run(["init", "--url", platformUrl, "--force"], { cwd })).code).toBe(0);
});

test("somebody who has left the organization can work neither in it nor in its sandbox", async () => {
  const member = await addUser(owner.organizationId);
  const users = { token: owner.token, body: { users: member.email } };
  await http.post("/v1/sandbox/staging/users", { ...users, expect: 200 });
  const device = await signedInMachine(member);
  const cwd = await workspace(device, "w", { sandbox: "staging" });
  expect((await add(device, cwd, "leaver 1")).code).toBe(0);
  const left = { id: member.id, is_active: false };
  await http.patch("/v1/object/user", { token: owner.token, body: left, expect: 200 });
  for (const folder of [cwd, device.home]) expect((await add(device, folder, "leaver 2")).code).not.toBe(0);
  await expireTokens(device);
  for (const folder of [cwd, device.home]) expect((await add(device, folder, "leaver 3")).code).not.toBe(0);
  expect((await leadsIn(owner, owner.organizationId)).filter((name) => name.startsWith("leaver"))).toEqual([]);
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { addUser, http, registerOrganization, type User } from "../platform.ts";
import { type Machine, signedInMachine, withoutColours } from "./command.ts";
import { createSandbox, deleteSandbox, expireTokens, settingsOf, workspace } from "./workspaces.ts";

const shownBy = ({ stdout }: { stdout: string }): string => withoutColours(stdout).replaceAll("\r", "");

test("a sandbox is created, used, compared, left, refreshed and deleted by the command line", async () => {
  const owner = await registerOrganization("Acme");
  const device = await signedInMachine(owner);
  const cwd = await workspace(device, "w");
  const tenantry = async (...args: string[]) => {
    const { code, stdout, stderr } = await device.run(args, { cwd });
    expect(`${code} ${stderr}`).toMatch(/^0 /);
    return { stdout, stderr };
  };
  const leads = async () => (await tenantry("query", "SELECT name FROM lead")).stdout;
  await writeFile(join(cwd, "notes.md"), "For **tests**\n");
  const created = await tenantry("sandbox", "create", "staging", "--description", "@notes.md");
  expect(created.stderr).toBe("✓ Created Acme (Sandbox: staging)\n");
  expect(JSON.parse(created.stdout)).toMatchObject({ status: "active", description: "For **tests**\n" });
  expect((await tenantry("sandbox", "use", "staging")).stderr).toContain("now work in sandbox staging of Acme");
  expect(await settingsOf(cwd)).toMatchObject({ sandbox: "staging" });
  expect((await tenantry("record", "create", "lead", "--set", "name=Ada")).stderr).toBe("In sandbox staging of Acme\n");
  expect(await leads()).toBe('{"name":"Ada"}\n');
  expect((await tenantry("whoami", "--output", "table")).stdout).toMatch(/^organization +sandbox staging of Acme \(/m);
  expect((await tenantry("status", "--output", "table")).stdout).toMatch(/^works in +sandbox staging of Acme$/m);
  // In the sandbox a model is changed, and its files bring it to production.
  await tenantry("schema", "create", "Project", "-f", "budget:currency");
  await tenantry("schema", "field", "update", "lead", "amount", "--label", "Worth");
  await tenantry("schema", "pull", "project", "lead");
  expect((await tenantry("sandbox", "diff", "--output", "table")).stdout).toBe(
    "schemas\n  + project\n  ~ lead: fields.amount\n",
  );
  const { stdout: differences } = await tenantry("sandbox", "diff", "--json");
  expect(JSON.parse(differences)).toMatchObject({ identical: false, kinds: { schemas: { removed: [] } } });
  expect(await device.run(["sandbox", "diff", "staging", "--exit-code"], { cwd })).toMatchObject({ code: 7 });
  expect((await tenantry("schema", "push")).stderr).toContain("has what the files say");
  expect((await tenantry("sandbox", "switch-back")).stderr).toContain("now work in Acme");
  expect(await settingsOf(cwd)).not.toHaveProperty("sandbox");
  expect(await leads()).toBe("");
  expect((await tenantry("schema", "push", "--yes")).stderr).toBe("✓ Made 3 changes in Acme\n");
  // A refresh discards what was done in the sandbox.
  expect((await tenantry("sandbox", "refresh", "staging", "--dry-run", "--json")).stdout).toContain('"identical"');
  expect((await tenantry("sandbox", "refresh", "staging", "--yes")).stderr).toContain("✓ Refreshed Acme");
  await tenantry("sandbox", "switch", "staging");
  expect(await leads()).toBe("");
  expect((await tenantry("sandbox", "diff", "--exit-code")).stdout).toContain('"identical": true');
  const { stderr } = await tenantry("sandbox", "delete", "staging", "--yes");
  expect(stderr).toMatch(/work in the organization itself again(.|\n)*✓ Deleted staging/);
  expect(await settingsOf(cwd)).not.toHaveProperty("sandbox");
  expect((await tenantry("sandbox", "list")).stdout).toBe("");
});

describe("with a sandbox, the command line", () => {
  let owner: User;
  let device: Machine;
  let cwd: string;

  beforeAll(async () => {
    owner = await registerOrganization("Acme");
    await createSandbox(owner, "staging");
  });

  const inWorkspace = async () => {
    device = await signedInMachine(owner);
    cwd = await workspace(device, "w", { sandbox: "staging" });
  };

  test("asks before a refresh, a deletion and a push, and names where each of them goes", async () => {
    await inWorkspace();
    await device.run(["schema", "create", "Idea"], { cwd });
    await device.run(["schema", "pull", "idea"], { cwd });
    const refresh = await device.onTerminal(["sandbox", "refresh"], {
      cwd,
      steps: [{ expect: "Refresh sandbox staging of Acme?", send: "n" }],
    });
    expect([refresh.code, shownBy(refresh)]).toEqual([130, expect.stringContaining("schemas\n  + idea")]);
    const wrong = await device.onTerminal(["sandbox", "delete", "staging"], {
      cwd,
      steps: [{ expect: "Delete sandbox staging of Acme", send: "stagin\r" }],
    });
    expect([wrong.code, shownBy(wrong)]).toEqual([130, expect.stringContaining("nothing was deleted")]);
    await http.get("/v1/sandbox/staging", { token: owner.token, expect: 200 });
    const deletion = await device.onTerminal(["schema", "delete", "idea"], {
      cwd,
      steps: [{ expect: "in sandbox staging of Acme?", send: "y" }],
    });
    expect(deletion.code).toBe(0);
    const push = await device.onTerminal(["schema", "push"], {
      cwd,
      steps: [{ expect: "Make 1 change in sandbox staging of Acme?", send: "n" }],
    });
    expect(push.code).toBe(130);
    const outside = await device.onTerminal(["schema", "push", "--organization", owner.organizationId], {
      cwd,
      steps: [{ expect: "Make 1 change in Acme?", send: "n" }],
    });
    expect(outside.code).toBe(130);
    for (const args of [["refresh"], ["delete", "staging"]]) {
      const { code, stderr } = await device.run(["sandbox", ...args], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining("--yes")]);
    }
  });

  test("shows progress on a terminal, and a table in which a star marks the current sandbox", async () => {
    await inWorkspace();
    const created = await device.onTerminal(["sandbox", "create", "qa"], { cwd });
    expect(shownBy(created)).toMatch(/Creating qa [━─]{16} \d+%(.|\n)*✓ Created Acme \(Sandbox: qa\)/);
    // The cursor is shown again.
    expect(created.stdout.lastIndexOf("\u001b[?25h")).toBeGreaterThan(created.stdout.lastIndexOf("\u001b[?25l"));
    const list = shownBy(await device.onTerminal(["sandbox", "list"], { cwd }));
    expect(list).toMatch(/^ +qa +active/m);
    expect(list).toMatch(/^\* +staging +active/m);
    const query = shownBy(await device.onTerminal(["query", "SELECT name FROM lead"], { cwd }));
    expect(query).toContain("In sandbox staging of Acme");
    await deleteSandbox(owner, "qa");
  });

  test("manages sandboxes as the organization, also where commands work in a sandbox", async () => {
    await inWorkspace();
    await expireTokens(device);
    const listed = await device.run(["sandbox", "list"], { cwd });
    expect([listed.code, JSON.parse(listed.stdout).sandbox_name]).toEqual([0, "staging"]);
    const set = await device.run(["sandbox", "set", "staging", "--description", "New", "--schedules", "on"], { cwd });
    expect(JSON.parse(set.stdout)).toMatchObject({ description: "New", enable_schedules: true });
    await device.run(["sandbox", "set", "staging", "--description", "", "--schedules", "off"], { cwd });
    const shown = await device.run(["sandbox", "get", "--output", "table"], { cwd });
    expect(shown.stdout).toMatch(/^status +active$(.|\n)*^schedules +off$/m);
    expect(await device.run(["sandbox", "set", "staging"], { cwd })).toMatchObject({ code: 2 });
    expect(await device.run(["sandbox", "create", "staging"], { cwd })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("already"),
    });
  });

  test("lets users in and takes them out by id and email, and their commands stop then", async () => {
    await inWorkspace();
    const member = await addUser(owner.organizationId);
    const theirs = await signedInMachine(member);
    const folder = await workspace(theirs, "w");
    const use = () => theirs.run(["sandbox", "use", "staging"], { cwd: folder });
    expect(await use()).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("You are not a user of the sandbox staging."),
    });
    expect(await settingsOf(folder)).not.toHaveProperty("sandbox");
    const users = (...args: string[]) => device.run(["sandbox", "users", ...args], { cwd });
    const added = await users("add", "staging", member.email, "nobody@example.test");
    expect([added.code, JSON.parse(added.stdout)]).toEqual([
      6,
      { sandbox_name: "staging", added_users: [member.email], not_found: ["nobody@example.test"] },
    ]);
    expect((await users("add", member.id)).code).toBe(0);
    expect(await use()).toMatchObject({ code: 0 });
    expect(await users("remove", "staging", "nobody@example.test", "--yes")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("Nobody was removed"),
    });
    expect(await users("remove", member.email)).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(await users("remove", member.email.toUpperCase(), "--yes")).toMatchObject({ code: 0 });
    const late = await theirs.run(["record", "create", "lead", "--set", "name=x"], { cwd: folder });
    expect([late.code, late.stderr]).toEqual([4, expect.stringMatching(/not a user of the sandbox(.|\n)*use-parent/)]);
    expect(await users("add")).toMatchObject({ code: 2 });
    expect(await users("add", "staging")).toMatchObject({ code: 2 });
  });

  test("refuses to use a sandbox that does not exist, or a folder that is no workspace", async () => {
    await inWorkspace();
    expect(await device.run(["sandbox", "use", "nowhere"], { cwd })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("no sandbox nowhere"),
    });
    expect(await settingsOf(cwd)).toMatchObject({ sandbox: "staging" });
    expect(await device.run(["sandbox", "use", "staging"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("tenantry init"),
    });
  });
});

test("an app is deployed from a sandbox to production and to another sandbox, after a question", async () => {
  const owner = await registerOrganization("Acme");
  for (const name of ["staging", "qa"]) await createSandbox(owner, name);
  const device = await signedInMachine(owner);
  const cwd = await workspace(device, "w", { sandbox: "staging" });
  const tenantry = async (...args: string[]) => {
    const { code, stdout, stderr } = await device.run(args, { cwd });
    expect(`${code} ${stderr}`).toMatch(/^0 /);
    return { stdout, stderr };
  };
  const { stdout } = await tenantry("record", "create", "app", '{"name": "CRM", "api_name": "crm"}');
  const { id } = JSON.parse(stdout);
  await tenantry("record", "create", "app_page", "--set", "name=Deals", "--set", `app=${id}`);
  const deploy = ["deploy", "app", "sandbox", "staging", "crm"];
  expect(await device.run(deploy, { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
  const asked = await device.onTerminal(deploy, {
    cwd,
    steps: [{ expect: "Deploy crm from sandbox staging to Acme?", send: "n" }],
  });
  expect(asked.code).toBe(130);
  const pages = (...args: string[]) => tenantry("query", "SELECT name FROM app_page", ...args);
  expect((await pages("--organization", owner.organizationId)).stdout).toBe("");
  const deployed = await tenantry(...deploy, "--yes");
  expect(deployed.stderr).toBe("✓ Deployed CRM from staging to Acme\n");
  expect(JSON.parse(deployed.stdout).kinds.app_page).toEqual({ created: 1, updated: 0, unchanged: 0 });
  expect((await pages("--organization", owner.organizationId)).stdout).toBe('{"name":"Deals"}\n');
  const again = await tenantry(...deploy, "--yes", "--output", "table");
  expect(again.stdout).toContain("app_page: 0 created, 0 updated, 1 unchanged\n");
  expect((await tenantry(...deploy, "--yes", "--target", "qa")).stderr).toContain("to sandbox qa of Acme");
  expect((await pages("--sandbox", "qa")).stdout).toBe('{"name":"Deals"}\n');
  expect((await device.run([...deploy.slice(0, -1), "nothing", "--yes"], { cwd })).code).toBe(4);
});

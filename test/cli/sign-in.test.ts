import { randomBytes } from "node:crypto";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { addUser, confirmEmail, createUser, http, mailsTo, platformUrl, registerOrganization } from "../platform.ts";
import { type Machine, machine, signedInMachine, withoutColours } from "./command.ts";
import { relay } from "./relay.ts";

const spoil = async (device: Machine): Promise<void> => {
  const stored = await device.credentials();
  for (const profile of Object.values(stored.profiles)) {
    for (const organization of Object.keys(profile.access_tokens)) {
      profile.access_tokens[organization] = `${profile.access_tokens[organization]}${randomBytes(4).toString("hex")}`;
    }
  }
  await writeFile(device.credentialsPath, JSON.stringify(stored));
};

test("stored credentials are readable by their owner only, and no output shows them", async () => {
  const user = await registerOrganization();
  const device = await signedInMachine(user);
  expect((await stat(device.credentialsPath)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(device.credentialsPath))).mode & 0o777).toBe(0o700);
  const { profiles } = await device.credentials();
  const { refresh_token = "", access_tokens } = profiles.default!;
  const runs = [
    await device.run(["whoami"]),
    await device.run(["profile", "list", "--output", "json"]),
    await device.run(["status"], { env: { DEBUG: "1" } }),
    await device.run(["logout"]),
  ];
  for (const { code, stdout, stderr } of runs) {
    expect(code).toBe(0);
    for (const secret of [refresh_token, ...Object.values(access_tokens), user.password]) {
      expect(`${stdout}${stderr}`).not.toContain(secret);
    }
  }
  expect(await readFile(device.credentialsPath, "utf8")).not.toContain("refresh_token");
  expect(await device.run(["whoami"])).toMatchObject({ code: 3, stderr: expect.stringContaining("tenantry login") });
});

test("the command line reports an unconfirmed email until it is confirmed", async () => {
  const user = await registerOrganization();
  const device = await signedInMachine(user);
  const line = async () => /^email +(.*?) *$/m.exec((await device.run(["whoami", "--output", "table"])).stdout)?.[1];
  expect(await line()).toBe(`${user.email} (not confirmed)`);
  await confirmEmail(user);
  expect(await line()).toBe(user.email);
});

test("tokens are stored where XDG_CONFIG_HOME says", async () => {
  const user = await registerOrganization();
  const device = await machine();
  const env = { XDG_CONFIG_HOME: join(device.home, "elsewhere") };
  const args = ["login", "--email", user.email, "--url", platformUrl];
  expect((await device.run(args, { stdin: user.password, env })).code).toBe(0);
  expect((await stat(join(device.home, "elsewhere/tenantry/credentials.json"))).mode & 0o777).toBe(0o600);
});

test("a person enters email and password on a terminal, which shows neither the password nor a token", async () => {
  const user = await registerOrganization();
  const device = await machine();
  const { code, stdout } = await device.onTerminal(["login", "--password", "--url", platformUrl], {
    steps: [
      { expect: "Email for", send: `${user.email}\r` },
      { expect: "Password for", send: `${user.password}\r` },
    ],
  });
  expect(withoutColours(stdout)).toContain(`✓ Signed in to ${platformUrl} as ${user.email}`);
  expect(stdout).not.toContain(user.password);
  expect(code).toBe(0);
});

test("a wrong password, a missing one and a password in an argument are refused with advice", async () => {
  const user = await registerOrganization();
  const device = await machine();
  const login = ["login", "--email", user.email, "--url", platformUrl];
  expect(await device.run(login, { stdin: "wrong" })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("The email or the password is wrong."),
  });
  expect(await device.run(login)).toMatchObject({ code: 2, stderr: expect.stringContaining("Pipe it in") });
  expect(await device.run(["login", "--url", platformUrl])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--email"),
  });
  const open = await device.run(["login", "--email", user.email, "--url", "http://example.com"], { stdin: "x" });
  expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining("in the clear") });
});

test("an access token that is not accepted any more is replaced without a message", async () => {
  const user = await registerOrganization();
  const device = await signedInMachine(user);
  await spoil(device);
  const before = await device.credentials();
  const { code, stdout, stderr } = await device.run(["whoami"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.parse(stdout).user.email).toBe(user.email);
  const after = await device.credentials();
  expect(after.profiles.default?.access_tokens).not.toEqual(before.profiles.default?.access_tokens);
  expect((await stat(device.credentialsPath)).mode & 0o777).toBe(0o600);
});

test("concurrent refreshes and a concurrent sign-in lose no tokens", async () => {
  const user = await registerOrganization();
  const other = await registerOrganization();
  const device = await signedInMachine(user);
  await spoil(device);
  const login = ["login", "--profile", "other", "--email", other.email, "--url", platformUrl];
  const runs = await Promise.all([
    ...Array.from({ length: 4 }, () => device.run(["whoami", "--profile", "default"])),
    device.run(login, { stdin: other.password }),
  ]);
  expect(runs.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0, 0, 0]);
  const { profiles } = await device.credentials();
  expect(Object.keys(profiles).sort()).toEqual(["default", "other"]);
  for (const [name, { email }] of [
    ["default", user],
    ["other", other],
  ] as const) {
    const { stdout } = await device.run(["whoami", "--profile", name]);
    expect(JSON.parse(stdout).user.email).toBe(email);
  }
});

test("the lock of a killed process is removed", async () => {
  const device = await signedInMachine(await registerOrganization());
  await spoil(device);
  await writeFile(`${device.credentialsPath}.lock`, "999999999");
  expect((await device.run(["whoami"])).code).toBe(0);
});

test("an ended session, a damaged file and an unknown profile are reported with advice", async () => {
  const user = await registerOrganization();
  const device = await signedInMachine(user);
  const stored = await device.credentials();
  const ended = { ...stored.profiles.default, refresh_token: "gone", access_tokens: {} };
  await writeFile(device.credentialsPath, JSON.stringify({ ...stored, profiles: { default: ended } }));
  expect(await device.run(["whoami"])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/has ended(.|\n)*tenantry login/),
  });
  expect(await device.run(["profile", "use", "nobody"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("default"),
  });
  await writeFile(device.credentialsPath, "{ half");
  expect(await device.run(["whoami"])).toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
});

test("a token is sent only to the platform that issued it, whatever the workspace file says", async () => {
  const device = await signedInMachine(await registerOrganization());
  await writeFile(
    join(device.home, "tenantry.json"),
    JSON.stringify({ url: "http://127.0.0.1:9", profile: "default" }),
  );
  expect(await device.run(["whoami"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("You are not signed in to http://127.0.0.1:9"),
  });
});

test("a workspace's organization must be one of the person's", async () => {
  const owner = await registerOrganization();
  const stranger = await registerOrganization();
  const member = await addUser(owner.organizationId);
  const device = await signedInMachine(member);
  const init = ["init", "--url", platformUrl, "--organization"];
  expect((await device.run([...init, owner.organizationId])).code).toBe(0);
  expect(JSON.parse((await device.run(["whoami"])).stdout).organization.id).toBe(owner.organizationId);
  expect((await device.run([...init, stranger.organizationId, "--force"])).code).toBe(0);
  expect(await device.run(["whoami"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("is not one of your organizations"),
  });
});

test("an account with a second factor signs in with the mailed code, at the second try", async () => {
  const owner = await registerOrganization();
  const person = await createUser(owner.organizationId, { twoFactor: "email" });
  const device = await machine();
  const login = ["login", "--email", person.email, "--url", platformUrl];
  expect(await device.run(login, { stdin: person.password })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("--code"),
  });
  const mailed = (await mailsTo(person.email)).length;
  const file = join(device.home, "code");
  const typing = device.onTerminal(login, {
    steps: [
      { expect: "Password for", send: `${person.password}\r` },
      { expect: "The code from", send: "no code\r" },
      { expect: "wrong or has expired", file },
    ],
  });
  await vi.waitFor(async () => expect((await mailsTo(person.email)).length).toBeGreaterThan(mailed), 120_000);
  const [, code = ""] = /Your code is (\d{6})/.exec((await mailsTo(person.email)).at(-1)?.text ?? "") ?? [];
  await writeFile(`${file}.new`, `${code}\r`);
  await rename(`${file}.new`, file);
  const { stdout, code: exitCode } = await typing;
  expect(withoutColours(stdout)).toContain("✓ Signed in");
  expect(exitCode).toBe(0);
});

test("a sign-in that is approved on another device continues by itself", async () => {
  const owner = await registerOrganization();
  const person = await createUser(owner.organizationId, { twoFactor: "email" });
  const signedIn = async (): Promise<string> => {
    const form = { username: person.email, password: person.password };
    const { body } = await http.post("/v1/oauth2/login", { form, expect: 200 });
    const [, code = ""] = /Your code is (\d{6})/.exec((await mailsTo(person.email)).at(-1)?.text ?? "") ?? [];
    const verify = { email: person.email, code, session_id: body.session_id };
    return (await http.post("/v1/oauth2/verify-2fa", { body: verify, expect: 200 })).body.access_token;
  };
  const token = await signedIn();
  let asked: { session_id: string; number: string } | undefined;
  const url = await relay(({ reply }) => {
    if (reply.includes("two_fa_required")) asked = JSON.parse(reply);
    return undefined;
  });
  const device = await machine();
  const waiting = device.onTerminal(["login", "--email", person.email, "--url", url], {
    steps: [{ expect: "Password for", send: `${person.password}\r` }],
  });
  await vi.waitFor(() => expect(asked).toBeDefined(), 120_000);
  const { session_id = "", number = "" } = asked ?? {};
  await http.post("/v1/oauth2/approve-2fa", { token, body: { session_id, number }, expect: 200 });
  const { stdout, code } = await waiting;
  expect(withoutColours(stdout)).toContain(`its number is ${number}`);
  expect(withoutColours(stdout)).toContain("✓ Signed in");
  expect(code).toBe(0);
});

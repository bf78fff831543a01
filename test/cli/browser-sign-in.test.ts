import { stat, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { http, platformUrl, registerOrganization, type User } from "../platform.ts";
import { type Machine, machine, type Run, withoutColours } from "./command.ts";
import { relay } from "./relay.ts";
import { createSandbox, workspace } from "./workspaces.ts";

const METADATA = "/.well-known/oauth-authorization-server";

interface Asked {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
  readonly code_challenge: string;
}

/** A fake platform for the sign-in page: it records the command's request, and the test gives the person's response. */
const signInPage = async () => {
  let asked: Asked | undefined;
  const url: string = await relay(({ path, request, reply }) => {
    if (path === "/page") return "<p>Sign in</p>";
    if (path === METADATA) return reply.replaceAll(platformUrl, url);
    if (path !== "/v1/oauth2/code") return undefined;
    asked = JSON.parse(request);
    return JSON.stringify({ code_url: `${url}/page` });
  });
  const request = async (): Promise<Asked> => {
    await vi.waitFor(() => expect(asked).toBeDefined(), 120_000);
    if (asked === undefined) throw new Error("Nothing was asked for.");
    return asked;
  };
  return { url, request };
};

/** The redirect after the person's consent, as a response of the platform with this address. */
const agree = async (owner: User, asked: Asked, issuer: string): Promise<string> => {
  const { client_id, redirect_uri, state, code_challenge } = asked;
  const body = { client_id, redirect_uri, state, code_challenge, code_challenge_method: "S256", response_type: "code" };
  const reply = await http.post("/v1/oauth2/authorize", { token: owner.token, body, expect: 200 });
  const address = new URL(reply.body.redirect_url);
  expect(address.searchParams.get("iss")).toBe(platformUrl);
  address.searchParams.set("iss", issuer);
  return address.href;
};

const signedIn = async (owner: User): Promise<{ device: Machine; run: Run; url: string }> => {
  const page = await signInPage();
  const device = await machine();
  const running = device.onTerminal(["login", "--url", page.url]);
  const reply = await fetch(await agree(owner, await page.request(), page.url));
  expect(await reply.text()).toContain("Back to your terminal");
  expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
  return { device, run: await running, url: page.url };
};

test("a sign-in in the browser gives a session that is refreshed by rotation, also by concurrent processes", async () => {
  const owner = await registerOrganization();
  const { device, run } = await signedIn(owner);
  expect(withoutColours(run.stdout)).toMatch(new RegExp(`/page[^]*✓ Signed in to .* as ${owner.email}`));
  expect(run.code).toBe(0);
  expect((await stat(device.credentialsPath)).mode & 0o777).toBe(0o600);
  for (let round = 0; round < 2; round += 1) {
    const stored = await device.credentials();
    const before = stored.profiles.default?.refresh_token;
    const stale = { ...stored.profiles.default, access_tokens: { [owner.organizationId]: "stale" } };
    await writeFile(device.credentialsPath, JSON.stringify({ ...stored, profiles: { default: stale } }));
    const runs = await Promise.all([1, 2, 3].map(() => device.run(["whoami"])));
    expect(runs.map(({ code, stderr }) => stderr || code)).toEqual([0, 0, 0]);
    expect((await device.credentials()).profiles.default?.refresh_token).not.toBe(before);
  }
  expect(await device.run(["whoami", "--organization", "org_other"])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("tenantry login --password"),
  });
  const { code, stderr } = await device.run(["logout"]);
  expect(stderr).toMatch(/^✓ Signed out of \S+\n$/);
  expect(code).toBe(0);
});

test("a sign-in in the browser is for the organization or for its sandbox, and commands go nowhere else", async () => {
  const owner = await registerOrganization("Acme");
  const id = await createSandbox(owner, "staging");
  const production = await signedIn(owner);
  const cwd = await workspace(production.device, "w", { url: production.url });
  expect((await production.device.run(["sandbox", "list"], { cwd })).code).toBe(0);
  expect(await production.device.run(["sandbox", "use", "staging"], { cwd })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("tenantry login --password"),
  });
  const { body } = await http.post("/v1/auth/switch", { token: owner.token, body: { id }, expect: 200 });
  const inside = await signedIn({ ...owner, token: body.access_token });
  const folder = await workspace(inside.device, "w", { url: inside.url, sandbox: "staging" });
  const create = ["record", "create", "lead", "--set", "name=Ada"];
  for (const where of [folder, inside.device.home]) {
    expect(await inside.device.run(create, { cwd: where })).toMatchObject({
      code: 0,
      stderr: "In sandbox staging of Acme\n",
    });
  }
  expect(await inside.device.run(["sandbox", "list"], { cwd: folder })).toMatchObject({ code: 4, stdout: "" });
});

test("the command line refuses the response to another sign-in, and reports a denial", async () => {
  const owner = await registerOrganization();
  const forged = await signInPage();
  const device = await machine();
  const running = device.onTerminal(["login", "--url", forged.url]);
  const asked = await forged.request();
  await fetch(await agree(owner, { ...asked, state: "forged" }, forged.url));
  expect(withoutColours((await running).stdout)).toContain("the answer to another sign-in");
  expect((await running).code).toBe(3);

  const refused = await signInPage();
  const again = device.onTerminal(["login", "--url", refused.url]);
  const { redirect_uri, state } = await refused.request();
  await fetch(`${redirect_uri}?${new URLSearchParams({ error: "access_denied", state, iss: refused.url })}`);
  expect(withoutColours((await again).stdout)).toContain("You were not signed in: access_denied");
  expect((await again).code).toBe(3);
});

test("the command line sends no code to another platform than the one that issued it", async () => {
  const owner = await registerOrganization();
  const hostile = await signInPage();
  const device = await machine();
  const running = device.onTerminal(["login", "--url", hostile.url]);
  await fetch(await agree(owner, await hostile.request(), platformUrl));
  expect(withoutColours((await running).stdout)).toContain("the answer to another sign-in");

  const silent = await signInPage();
  const again = device.onTerminal(["login", "--url", silent.url]);
  const address = new URL(await agree(owner, await silent.request(), ""));
  address.searchParams.delete("iss");
  await fetch(address);
  expect((await again).code).toBe(3);

  const lying = await relay(() => undefined);
  const { code, stdout } = await device.onTerminal(["login", "--url", lying]);
  expect(withoutColours(stdout)).toContain(`The platform at ${lying} says that it is ${platformUrl}`);
  expect(code).toBe(4);
});

test("the command line treats all names of a local platform as equal", async () => {
  const owner = await registerOrganization();
  const page = await signInPage();
  const device = await machine();
  const running = device.onTerminal(["login", "--url", page.url.replace("127.0.0.1", "localhost")]);
  await fetch(await agree(owner, await page.request(), page.url));
  expect((await running).code).toBe(0);
});

import { stat, writeFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { http, registerOrganization, type User } from "../platform.ts";
import { type Machine, machine, type Run, withoutColours } from "./command.ts";
import { relay } from "./relay.ts";

interface Asked {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string;
  readonly code_challenge: string;
}

/** A platform whose sign-in page is this test: what the command has asked for is told, the person's answer is given by hand. */
const signInPage = async () => {
  let asked: Asked | undefined;
  const url: string = await relay(({ path, request }) => {
    if (path === "/page") return "<p>Sign in</p>";
    if (path !== "/v1/oauth2/code") return undefined;
    asked = JSON.parse(request);
    return JSON.stringify({ code_url: `${url}/page` });
  });
  const request = async (): Promise<Asked> => {
    await vi.waitFor(() => expect(asked).toBeDefined(), 20_000);
    if (asked === undefined) throw new Error("Nothing was asked for.");
    return asked;
  };
  return { url, request };
};

/** What the person's browser does once they have agreed. */
const agree = async (owner: User, { client_id, redirect_uri, state, code_challenge }: Asked): Promise<string> => {
  const body = { client_id, redirect_uri, state, code_challenge, code_challenge_method: "S256", response_type: "code" };
  return (await http.post("/v1/oauth2/authorize", { token: owner.token, body, expect: 200 })).body.redirect_url;
};

const signedIn = async (owner: User): Promise<{ device: Machine; run: Run }> => {
  const page = await signInPage();
  const device = await machine();
  const running = device.onTerminal(["login", "--url", page.url]);
  const reply = await fetch(await agree(owner, await page.request()));
  expect(await reply.text()).toContain("Back to your terminal");
  expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
  return { device, run: await running };
};

test("a person signs in in the browser; the session is refreshed by rotation, also by several processes at once", async () => {
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

test("the answer to another sign-in is not taken, and a refusal is told", async () => {
  const owner = await registerOrganization();
  const forged = await signInPage();
  const device = await machine();
  const running = device.onTerminal(["login", "--url", forged.url]);
  const asked = await forged.request();
  await fetch(await agree(owner, { ...asked, state: "forged" }));
  expect(withoutColours((await running).stdout)).toContain("the answer to another sign-in");
  expect((await running).code).toBe(3);

  const refused = await signInPage();
  const again = device.onTerminal(["login", "--url", refused.url]);
  const { redirect_uri, state } = await refused.request();
  await fetch(`${redirect_uri}?${new URLSearchParams({ error: "access_denied", state })}`);
  expect(withoutColours((await again).stdout)).toContain("You were not signed in: access_denied");
  expect((await again).code).toBe(3);
});

test("on a platform without a sign-in page the password is asked for", async () => {
  const owner = await registerOrganization();
  const url = await relay(({ path }) => (path === "/v1/oauth2/code" ? "{}" : undefined));
  const device = await machine();
  const { code, stdout } = await device.onTerminal(["login", "--url", url], {
    steps: [
      { expect: "Email for", send: `${owner.email}\r` },
      { expect: "Password for", send: `${owner.password}\r` },
    ],
  });
  expect(withoutColours(stdout)).toContain("✓ Signed in");
  expect(code).toBe(0);
});

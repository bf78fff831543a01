import { randomBytes } from "node:crypto";
import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createUser,
  databaseClient,
  http,
  joinOrganization,
  mailsTo,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { askingApp, enterPassword } from "../sign-in/app.ts";
import { Browser } from "../sign-in/browser.ts";
import { askToken, letIn, registerApp } from "./apps.ts";
import { loginFrom } from "./people.ts";
import { begin, mailedCode, type Person, wrongCode } from "./second-factors.ts";

const ELSEWHERE = "127.77.13.1";
const marker = `Elsewhere${randomBytes(6).toString("hex")}`;
const agent = { "user-agent": `${marker} device` };

let client: MongoClient;
let here: User;
let there: User;
let person: Person & { id: string };
/** Acts in both organizations. */
let both: string;
/** Acts in the other organization only. */
let elsewhere: string;
let browser: Browser;

const sidOf = (token: string): string => String(claimsOf(token).sid);

/** Signs in with a mailed code, after a wrong one. */
const enter = async (headers: Record<string, string>): Promise<string> => {
  const { session_id } = await begin(person, headers);
  const { email } = person;
  const verify = (code: string) => http.post("/v1/oauth2/verify-2fa", { body: { email, code, session_id }, headers });
  const right = await mailedCode(person);
  expect((await verify(wrongCode(right))).status).toBe(401);
  return (await verify(right)).body.access_token;
};

const switchTo = async (token: string, { organizationId }: User): Promise<string> => {
  const body = { id: organizationId };
  return (await http.post("/v1/auth/switch", { token, body, expect: 200 })).body.access_token;
};

const restart = async (password: string): Promise<void> => {
  const { email } = person;
  await http.post("/v1/forgot-password", { body: { email }, headers: agent, expect: 202 });
  const token = /(tpr_\S+)/.exec((await mailsTo(email)).at(-1)?.text ?? "")?.[1];
  await http.post("/v1/reset-password", { body: { token, password }, headers: agent, expect: 204 });
};

beforeAll(async () => {
  client = await databaseClient();
  [here, there] = [await registerOrganization(), await registerOrganization(`${marker} Ltd`)];
  person = { ...(await createUser(here.organizationId, { twoFactor: "email" })), id: "" };
  await joinOrganization(person, there.organizationId);
  await restart(person.password);
  both = await enter({ "user-agent": "shared device" });
  person.id = String(claimsOf(both).sub);
  both = await switchTo(await switchTo(both, there), there);
  await loginFrom(ELSEWHERE, person.email, "a wrong password");
  elsewhere = await enter(agent);
  expect(claimsOf(elsewhere).org).toBe(there.organizationId);
  await letIn(elsewhere, await registerApp(there.token, { name: `${marker} app` }));
  browser = new Browser();
  const page = await enterPassword(browser, person, (await askingApp(there, { name: marker })).request());
  await browser.submit(page, "code", { code: await mailedCode(person) });
  await switchTo(both, here);
});

afterAll(() => client.close());

const about = (token: string, path: string, query: Record<string, string> = {}) => http.get(path, { token, query });
const sessionsOf = async (token: string, query: Record<string, string> = {}) =>
  (await about(token, "/v1/auth/session", query)).body.sessions;

/** Everything that an administrator can read about a colleague. */
const toldAbout = async ({ token }: User): Promise<string> => {
  const { id } = person;
  const machine = await registerApp(token, { run_as: id });
  const { client_id, client_secret } = machine;
  const { body: issued } = await askToken({ grant_type: "client_credentials", client_id, client_secret });
  const sql = (q: string) => about(token, "/v1/query", { q });
  const pipeline = (stages: unknown[]) =>
    http.post("/v1/query/docdb", { token, body: { collection: "user", pipeline: stages } });
  const byOwner = { from: "user", localField: "owner.id", foreignField: "id", as: "x" };
  const replies = [
    await about(token, "/v1/object/user"),
    await about(token, `/v1/object/user/${id}`),
    await http.patch(`/v1/object/user/${id}`, { token, body: { time_zone: "Europe/Berlin" } }),
    await http.patch(`/v1/object/user/${id}`, { token, body: { organizations: [] } }),
    await about(token, "/v1/auth/session", { user_id: id }),
    await about(token, "/v1/auth/audit", { of: "organization", limit: "500" }),
    await about(token, "/v1/auth/client"),
    await about(token, "/v1/status/users"),
    await about(token, `/v1/status/user/${id}`),
    await about(token, "/v1/schema/user"),
    await about(issued.access_token, "/v1/auth/load"),
    await about(issued.access_token, "/v1/auth/session"),
    await sql("SELECT * FROM user"),
    await sql("SELECT organizations FROM user"),
    await sql("SELECT COUNT(*) FROM user WHERE organizations IS NOT NULL"),
    await pipeline([]),
    await pipeline([{ $unwind: "$organizations" }]),
    await pipeline([{ $project: { all: { $objectToArray: "$$ROOT" } } }]),
    await pipeline([{ $lookup: byOwner }]),
    await pipeline([{ $group: { _id: "$organizations.name" } }]),
  ];
  return replies.map(({ text }) => text).join("\n");
};

describe("an administrator of one of a person's two organizations", () => {
  it("sees neither the other organization nor from where the person uses it", async () => {
    const told = await toldAbout(here);
    for (const secret of [there.organizationId, marker, ELSEWHERE, sidOf(elsewhere), browser.userAgent]) {
      expect(told).not.toContain(secret);
    }
    expect(await toldAbout(there)).not.toContain(here.organizationId);
  });

  it("sees no more in records and entries of earlier versions", async () => {
    const entry = { id: there.organizationId, name: `${marker} Ltd` };
    const organizations = [{ id: here.organizationId, name: "Here" }, entry];
    const users = client.db(here.organizationId).collection<{ _id: string }>("user");
    expect((await users.updateOne({ _id: person.id }, { $set: { organizations } })).matchedCount).toBe(1);
    const told = await toldAbout(here);
    for (const secret of [there.organizationId, marker]) expect(told).not.toContain(secret);
  });

  it("sees the sessions that act there, from where they began, and what happened to the account", async () => {
    const sessions = await sessionsOf(here.token, { user_id: person.id });
    const mine = { organization_id: here.organizationId };
    expect(sessions.filter(({ kind }: { kind: string }) => kind !== "app")).toMatchObject([
      { ...mine, kind: "browser", address: "", user_agent: "" },
      { ...mine, id: sidOf(both), kind: "device", address: "127.0.0.1", user_agent: "shared device" },
    ]);
    const { entries } = (await about(here.token, "/v1/auth/audit", { of: "organization", limit: "500" })).body;
    const types = new Set(
      entries.flatMap(({ type, user_id }: Record<string, string>) => (user_id === person.id ? [type] : [])),
    );
    const account = ["password_reset_asked", "password_reset", "second_factor_asked", "second_factor_refused"];
    for (const type of [...account, "sign_in_refused", "signed_in"]) expect(types).toContain(type);
    const refused = { type: "sign_in_refused", user_id: person.id, address: "", user_agent: "", session_id: null };
    expect(entries).toContainEqual(expect.objectContaining(refused));
  });

  it("sees the origin of a change of the account only if it was made in their organization", async () => {
    const token = await switchTo(both, here);
    const body = { current_password: person.password, password: "another correct horse battery" };
    await http.post("/v1/auth/password", { token, body, headers: { "user-agent": "changed here" }, expect: 204 });
    person = { ...person, password: body.password };
    const changeOf = async (user: User) => {
      const { entries } = (await about(user.token, "/v1/auth/audit", { of: "organization" })).body;
      return entries.find(({ type }: { type: string }) => type === "password_changed");
    };
    expect(await changeOf(here)).toMatchObject({ user_agent: "changed here", session_id: sidOf(both) });
    expect(await changeOf(there)).toMatchObject({ user_agent: "", address: "", session_id: null });
  });

  it("can end a browser that could authorize apps there, and no session that acts only in the other one", async () => {
    const again = new Browser();
    const app = await askingApp(there);
    const page = await enterPassword(again, person, app.request());
    await again.submit(page, "code", { code: await mailedCode(person) });
    const alone = await switchTo(await enter(agent), there);
    const [found] = (await sessionsOf(here.token, { user_id: person.id })).filter(
      ({ kind }: { kind: string }) => kind === "browser",
    );
    const end = (id: string) =>
      http.delete(`/v1/auth/session/${id}`, { token: here.token, query: { user_id: person.id } });
    expect((await end(found.id)).status).toBe(204);
    expect((await again.open(app.request())).heading).toBe("Sign in");
    const apart = await letIn(alone, await registerApp(there.token));
    expect((await end(sidOf(apart.access_token))).body.code).toBe("session_not_found");
    expect((await about(alone, "/v1/auth/load")).status).toBe(200);
  });
});

describe("a person in two organizations", () => {
  it("sees all of their own sessions and entries in both", async () => {
    const { session_id } = await begin(person, agent);
    const body = { email: person.email, code: await mailedCode(person), session_id };
    const { access_token: token } = (await http.post("/v1/oauth2/verify-2fa", { body, headers: agent, expect: 200 }))
      .body;
    const own = await switchTo(token, here);
    const { organizations } = (await about(own, "/v1/auth/load")).body;
    expect(organizations.map(({ id }: { id: string }) => id)).toEqual([here.organizationId, there.organizationId]);
    expect(await sessionsOf(own)).toContainEqual(
      expect.objectContaining({
        id: sidOf(own),
        organization_id: here.organizationId,
        user_agent: agent["user-agent"],
      }),
    );
    const { text } = await about(own, "/v1/auth/audit", { limit: "500" });
    for (const known of [marker, ELSEWHERE, sidOf(elsewhere)]) expect(text).toContain(known);
  });

  it("can end in one organization a session of the other, and only the other one's trail shows it, without origin", async () => {
    const begun = await switchTo(await enter(agent), there);
    const app = await registerApp(there.token);
    const ended = sidOf((await letIn(begun, app)).access_token);
    const token = await switchTo(await enter({ "user-agent": "ended here" }), here);
    await http.delete(`/v1/auth/session/${ended}`, { token, expect: 204 });
    const revoked = async (user: User) => {
      const { entries } = (await about(user.token, "/v1/auth/audit", { of: "organization" })).body;
      return entries.filter(
        ({ client_id, type }: Record<string, string>) => client_id === app.client_id && type === "grant_revoked",
      );
    };
    expect(await revoked(here)).toEqual([]);
    expect(await revoked(there)).toMatchObject([{ user_id: person.id, address: "", user_agent: "", session_id: null }]);
  });

  it("an organization's app sees only that organization, and the platform's own client sees all", async () => {
    const token = await switchTo(await enter(agent), here);
    const app = await letIn(token, await registerApp(here.token));
    expect((await about(app.access_token, "/v1/auth/load")).body.organizations).toHaveLength(1);
    const cli = { client_id: "tenantry-cli", client_secret: "", redirect_uri: "http://127.0.0.1/callback" };
    const own = await letIn(token, cli);
    expect((await about(own.access_token, "/v1/auth/load")).body.organizations).toHaveLength(2);
  });
});

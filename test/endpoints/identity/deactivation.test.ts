import { beforeAll, describe, expect, it } from "vitest";
import {
  addUser,
  http,
  invokeOperation,
  joinOrganization,
  registerOrganization,
  signIn,
  type User,
} from "../../platform.ts";
import { askingApp, enterPassword } from "../sign-in/app.ts";
import { Browser } from "../sign-in/browser.ts";
import { askToken, letIn, registerApp } from "./apps.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { load, refresh, switchTo } from "./sessions.ts";

useOwner();

type Stored = Record<string, unknown> & { _id: string };

let elsewhere: User;
beforeAll(async () => {
  elsewhere = await registerOrganization();
});

const collection = (name: string) => mongo.db(owner.organizationId).collection<Stored>(name);

const setActive = ({ id }: User, is_active: boolean) =>
  http.patch(`/v1/object/user/${id}`, { token: owner.token, body: { is_active }, expect: 200 });

/** Deactivates a user, and activates them again. */
type Return = (user: User) => Promise<void>;

const oneByOne: Return = async (user) => {
  await setActive(user, false);
  await setActive(user, true);
};

const inBatches: Return = async (user) => {
  for (const is_active of [false, true]) {
    await http.patch("/v1/object/user", { token: owner.token, body: [{ id: user.id, is_active }], expect: 200 });
  }
};

const deletedAndAdded: Return = async ({ id, email, password }) => {
  await http.delete(`/v1/object/user/${id}`, { token: owner.token, expect: 200 });
  const membership = { organization_id: owner.organizationId, email, password, name: "Mia Member" };
  await invokeOperation("create-user", membership);
};

/** A user of two organizations, whose session has been in both and is in the owner's. */
const addCommuter = async (): Promise<User> => {
  const user = await addUser(owner.organizationId);
  await joinOrganization(user, elsewhere.organizationId);
  await switchTo(user.token, elsewhere.organizationId);
  const { body } = await switchTo(user.token, owner.organizationId);
  return { ...user, token: body.access_token, refreshToken: body.refresh_token };
};

describe.each([
  ["deactivated and activated again", oneByOne],
  ["deactivated and activated again in batches", inBatches],
  ["deleted and added again", deletedAndAdded],
])("whoever was %s", (_, leaveAndReturn) => {
  it("has lost all earlier sessions, and can sign in", async () => {
    const user = await addUser(owner.organizationId);
    const other = await signIn(user.email);
    await leaveAndReturn(user);
    for (const { token, refreshToken } of [user, other]) {
      expect((await load(token)).status).toBe(401);
      expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: { code: "invalid_refresh_token" } });
    }
    const anew = await signIn(user.email);
    expect((await load(anew.token)).status).toBe(200);
    expect((await refresh(anew.refreshToken)).status).toBe(200);
    expect((await load(user.token)).status).toBe(401);
  });

  it("keeps the session in other organizations, but cannot switch back to this one with it", async () => {
    const user = await addCommuter();
    await leaveAndReturn(user);
    expect((await load(user.token)).status).toBe(401);
    const { body } = await refresh(user.refreshToken);
    expect((await load(body.access_token)).body.user.organization_id).toBe(elsewhere.organizationId);
    const back = await switchTo(body.access_token, owner.organizationId);
    expect(back).toMatchObject({ status: 403, body: { code: "not_a_member" } });
    expect(back.body.detail).toContain("Sign in again");
    const anew = await signIn(user.email);
    const here = await switchTo(anew.token, owner.organizationId);
    expect((await load(here.body.access_token)).body.user.organization_id).toBe(owner.organizationId);
  });
});

describe("a deactivation", () => {
  it("ends the sessions of apps, and codes that were not used yet", async () => {
    const user = await addUser(owner.organizationId);
    const app = await registerApp(owner.token);
    const granted = await letIn(user.token, app);
    const body = { client_id: app.client_id, redirect_uri: app.redirect_uri, response_type: "code" };
    const { code } = (await http.post("/v1/oauth2/authorize", { token: user.token, body, expect: 200 })).body;
    await oneByOne(user);
    expect((await load(granted.access_token)).status).toBe(401);
    const { client_id, client_secret, redirect_uri } = app;
    for (const form of [
      { grant_type: "refresh_token", refresh_token: granted.refresh_token },
      { grant_type: "authorization_code", code, redirect_uri },
    ]) {
      const refused = await askToken({ ...form, client_id, client_secret });
      expect(refused).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
    const anew = await letIn((await signIn(user.email)).token, app);
    expect((await load(anew.access_token)).status).toBe(200);
  });

  it("stops a browser that was signed in before from authorizing an app", async () => {
    const user = await addUser(owner.organizationId);
    const app = await askingApp(owner);
    const browser = new Browser();
    const page = await enterPassword(browser, user, app.request());
    await oneByOne(user);
    const refused = await browser.submit(page, "decision", { decision: "allow" });
    expect(refused.alert).toMatch(/^You cannot work in this organization at present\. Sign in again/);
    const anew = new Browser();
    const decision = await enterPassword(anew, user, app.request());
    expect((await anew.submit(decision, "decision", { decision: "allow" })).status).toBe(303);
  });

  it("removes the ended sessions from the lists of the user and of administrators", async () => {
    const user = await addUser(owner.organizationId);
    const commuter = await addCommuter();
    const listed = async (token: string, query = "") =>
      (await http.get(`/v1/auth/session${query}`, { token, expect: 200 })).body.sessions.length;
    for (const { id } of [user, commuter]) expect(await listed(owner.token, `?user_id=${id}`)).toBeGreaterThan(0);
    await oneByOne(user);
    await oneByOne(commuter);
    for (const { id } of [user, commuter]) expect(await listed(owner.token, `?user_id=${id}`)).toBe(0);
    expect(await listed((await signIn(user.email)).token)).toBe(1);
    const anew = await signIn(commuter.email);
    expect(await listed(anew.token)).toBe(await listed((await refresh(commuter.refreshToken)).body.access_token));
  });

  it("also ends a session that is refreshed at the same moment", async () => {
    const user = await addUser(owner.organizationId);
    const [, ...replies] = await Promise.all([
      oneByOne(user),
      ...Array.from({ length: 8 }, () => refresh(user.refreshToken)),
    ]);
    const tokens = replies.filter(({ status }) => status === 200).map(({ body }) => body.access_token);
    for (const token of [user.token, ...tokens]) expect((await load(token)).status).toBe(401);
    expect((await refresh(user.refreshToken)).status).toBe(401);
  });

  it("is not undone or repeated by activating a user who is active", async () => {
    const user = await addUser(owner.organizationId);
    await setActive(user, true);
    expect((await load(user.token)).status).toBe(200);
    expect((await refresh(user.refreshToken)).status).toBe(200);
  });

  it("stores a moment that nobody can read or write", async () => {
    const user = await addUser(owner.organizationId);
    await oneByOne(user);
    expect(await collection("user").findOne({ _id: user.id })).toMatchObject({ active_since: expect.any(Date) });
    const { token } = owner;
    const seen = await http.get(`/v1/object/user/${user.id}`, { token, expect: 200 });
    expect(seen.body).not.toHaveProperty("active_since");
    const pipeline = [{ $match: { id: user.id } }];
    const found = await http.post("/v1/query/docdb", { token, body: { collection: "user", pipeline }, expect: 200 });
    expect(found.body[0]).toMatchObject({ id: user.id });
    expect(found.body[0]).not.toHaveProperty("active_since");
    const body = { active_since: null };
    expect((await http.patch(`/v1/object/user/${user.id}`, { token, body })).status).toBe(403);
  });
});

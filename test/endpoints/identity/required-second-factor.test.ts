import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addUser,
  createUser,
  databaseClient,
  http,
  mailsTo,
  registerOrganization,
  signIn,
  type User,
} from "../../platform.ts";
import { appCode, login, mailedCode, setUpApp, signInByMail, verify, wrongCode } from "./second-factors.ts";
import { load, organizationOf, refresh, switchTo } from "./sessions.ts";
import { alsoIn, requireFactor, strictOrganization, writeSettings } from "./strict.ts";

let mongo: MongoClient;
/** In an organization that requires nothing. */
let lax: User;
/** In one that requires a second factor, with an authenticator app. */
let strict: User;
beforeAll(async () => {
  mongo = await databaseClient();
  [lax, strict] = await Promise.all([registerOrganization("Lax"), strictOrganization()]);
});
afterAll(() => mongo.close());

/** An organization that does not require it yet, and an owner who could turn it on. */
const undecided = async (): Promise<User> => {
  const owner = await registerOrganization("Undecided");
  await setUpApp(owner);
  return owner;
};

describe("settings.require_second_factor", () => {
  it.each([["yes"], [1], [null]])("422: is true or false, not %j", async (require_second_factor) => {
    const { status, body } = await writeSettings(strict, { require_second_factor });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ["body", "settings", "require_second_factor"] }]);
    expect((await login(await createUser(strict.organizationId))).body.two_fa_required).toBe(true);
  });

  it("403: can only be set by an administrator", async () => {
    const member = await addUser(lax.organizationId);
    expect((await writeSettings({ ...lax, token: member.token }, { require_second_factor: true })).status).toBe(403);
    expect((await login(member)).body.access_token).toBeTruthy();
  });

  it("422: is not turned on from a session without a second factor, which would be refused at once", async () => {
    const owner = await registerOrganization();
    const refused = await writeSettings(owner, { require_second_factor: true, time_zone: "Europe/Oslo" });
    expect(refused.status).toBe(422);
    expect(refused.body.detail).toEqual([
      {
        loc: ["body", "settings", "require_second_factor"],
        msg: expect.stringContaining("Set up an authenticator app first"),
        type: "second_factor_missing",
      },
    ]);
    expect((await load(owner.token)).body.organization.settings).toEqual({});
    await setUpApp(owner);
    expect((await writeSettings(owner, { require_second_factor: true })).status).toBe(200);
    expect((await load(owner.token)).body.organization.settings).toEqual({ require_second_factor: true });
    const { sessions } = (await http.get("/v1/auth/session", { token: owner.token, expect: 200 })).body;
    expect(sessions).toMatchObject([{ current: true, second_factor: true }]);
  });

  it.each([
    ["said to be false", { require_second_factor: false }],
    ["left out", {}],
    ["taken away", null],
  ])("ends when it is %s", async (_, settings) => {
    const owner = await undecided();
    await requireFactor(owner);
    const person = await createUser(owner.organizationId);
    expect((await login(person)).body.two_fa_required).toBe(true);
    expect((await writeSettings(owner, settings)).status).toBe(200);
    expect((await login(person)).body.access_token).toBeTruthy();
  });

  it("does not change when other fields are written", async () => {
    const path = `/v1/object/organization/${strict.organizationId}`;
    await http.patch(path, { token: strict.token, body: { country: "NO" }, expect: 200 });
    expect((await login(await createUser(strict.organizationId))).body.two_fa_required).toBe(true);
  });

  it("stays on when the owner turns the authenticator app off, and a code is mailed instead", async () => {
    const owner = await registerOrganization();
    const { secret } = await setUpApp(owner);
    await requireFactor(owner);
    const body = { password: owner.password, code: appCode(secret, 1) };
    await http.post("/v1/auth/totp/disable", { token: owner.token, body, expect: 204 });
    expect((await load(owner.token)).status).toBe(200);
    expect((await load((await signInByMail(owner)).token)).status).toBe(200);
  });

  it("is off in a new organization, whose owner is signed in at once", async () => {
    const owner = await registerOrganization();
    expect((await load(owner.token)).status).toBe(200);
    expect((await load((await signIn(owner.email)).token)).status).toBe(200);
  });
});

describe("POST /v1/oauth2/login where an organization requires a second factor", () => {
  it("mails a code, which works once, to a person without a factor of their own", async () => {
    const person = await createUser(strict.organizationId);
    const { body } = await login(person);
    expect(body).toEqual({
      detail: "2FA Required",
      two_fa_required: true,
      email: person.email,
      session_id: expect.stringMatching(/^tls_/),
      number: expect.stringMatching(/^\d\d$/),
    });
    const code = await mailedCode(person);
    expect((await verify(person, wrongCode(code), body.session_id)).status).toBe(401);
    const entered = await verify(person, code, body.session_id);
    expect(entered.status).toBe(200);
    expect((await load(entered.body.access_token)).status).toBe(200);
    expect((await refresh(entered.body.refresh_token)).status).toBe(200);
    expect((await verify(person, code, body.session_id)).status).toBe(401);
  });

  it("sends no mail after a wrong password, and none to people with an authenticator app", async () => {
    const person = await createUser(strict.organizationId);
    expect((await login({ ...person, password: "some wrong password" })).status).toBe(401);
    expect(await mailsTo(person.email)).toEqual([]);
    const before = (await mailsTo(strict.email)).length;
    expect((await login(strict)).body.two_fa_required).toBe(true);
    expect(await mailsTo(strict.email)).toHaveLength(before);
  });

  it("asks members of several organizations if one of them requires it", async () => {
    const user = await alsoIn(lax, strict.organizationId);
    const { token } = await signInByMail(user);
    expect(organizationOf(token)).toBe(lax.organizationId);
    const switched = await switchTo(token, strict.organizationId);
    expect(switched.status).toBe(200);
    expect((await load(switched.body.access_token)).status).toBe(200);
  });

  it("ignores organizations in which the person cannot work", async () => {
    const user = await alsoIn(lax, strict.organizationId);
    const users = mongo.db(strict.organizationId).collection("user");
    await users.updateOne({ email: user.email }, { $set: { is_active: false } });
    expect(organizationOf((await signIn(user.email)).token)).toBe(lax.organizationId);
  });

  it("asks superusers too", async () => {
    const operator = await createUser(strict.organizationId, { isSuperuser: true });
    expect((await login(operator)).body.two_fa_required).toBe(true);
  });
});

describe("a session without a second factor", () => {
  it("403: is refused from the next request on, and accepted again once nothing is required", async () => {
    const owner = await undecided();
    const user = await addUser(owner.organizationId, { isSuperuser: true });
    await requireFactor(owner);
    const refused = await load(user.token);
    expect(`${refused.status} ${refused.body.code}`).toBe("403 second_factor_required");
    expect(refused.body.detail).toContain("Sign in again");
    const reply = await http.get("/v1/object/lead", { token: user.token });
    expect(reply.body.code).toBe("second_factor_required");
    expect((await writeSettings({ ...owner, token: user.token }, {})).body.code).toBe("second_factor_required");
    expect((await refresh(user.refreshToken)).status).toBe(401);
    expect((await load((await signInByMail(user)).token)).status).toBe(200);
    expect((await load(user.token)).status).toBe(403);
    await requireFactor(owner, false);
    expect((await load(user.token)).status).toBe(200);
    expect((await refresh(user.refreshToken)).status).toBe(200);
  });

  it("can go on in another organization, by a switch or a refresh, and sign out", async () => {
    const owner = await undecided();
    const user = await alsoIn(lax, owner.organizationId);
    const { access_token, refresh_token } = (await switchTo(user.token, owner.organizationId)).body;
    expect((await load(access_token)).body.organization.id).toBe(owner.organizationId);
    await requireFactor(owner);
    expect((await load(access_token)).status).toBe(403);
    const refreshed = await refresh(refresh_token);
    expect(organizationOf(refreshed.body.access_token)).toBe(lax.organizationId);
    expect((await switchTo(access_token, lax.organizationId)).status).toBe(200);
    expect((await http.post("/v1/auth/logout", { token: access_token })).status).toBe(204);
    expect((await load(refreshed.body.access_token)).status).toBe(401);
  });

  it("403: is not switched to an organization that requires one, and stays where it is", async () => {
    const user = await alsoIn(lax, strict.organizationId);
    const refused = await switchTo(user.token, strict.organizationId);
    expect(`${refused.status} ${refused.body.code}`).toBe("403 second_factor_required");
    expect(refused.body.detail).toContain("Sign in again");
    expect((await load(user.token)).status).toBe(200);
    expect(organizationOf((await refresh(user.refreshToken)).body.access_token)).toBe(lax.organizationId);
  });

  it("403: cannot approve another device's sign-in, only reject it", async () => {
    const user = await alsoIn(lax, strict.organizationId);
    const { session_id, number } = (await login(user)).body;
    const decide = (verb: string, body: object) => http.post(`/v1/oauth2/${verb}-2fa`, { token: user.token, body });
    expect((await decide("approve", { session_id, number })).body.code).toBe("second_factor_required");
    const { token } = await signInByMail(user);
    await http.post("/v1/oauth2/approve-2fa", { token, body: { session_id, number }, expect: 200 });
    const other = (await login(user)).body.session_id;
    expect((await decide("reject", { session_id: other })).status).toBe(200);
    expect((await verify(user, await mailedCode(user), other)).status).toBe(401);
  });

  it("403: cannot set up an authenticator app", async () => {
    const owner = await undecided();
    const user = await alsoIn(lax, owner.organizationId);
    const enrol = (token: string) => http.post("/v1/auth/totp", { token, body: { password: user.password } });
    const { secret } = (await enrol(user.token)).body;
    await requireFactor(owner);
    const confirmation = { token: user.token, body: { code: appCode(secret) } };
    expect((await http.post("/v1/auth/totp/confirm", confirmation)).body.code).toBe("second_factor_required");
    expect((await enrol(user.token)).body.code).toBe("second_factor_required");
    await setUpApp({ ...user, ...(await signInByMail(user)) });
    expect((await login(user)).body.two_fa_required).toBe(true);
  });

  it("counts as one with a second factor in all organizations when an authenticator app is set up in it", async () => {
    const owner = await undecided();
    const user = await alsoIn(lax, owner.organizationId);
    const { access_token } = (await switchTo(user.token, owner.organizationId)).body;
    await setUpApp(user);
    await requireFactor(owner);
    expect((await load(access_token)).status).toBe(200);
    expect((await switchTo(access_token, owner.organizationId)).status).toBe(200);
    expect((await refresh(user.refreshToken)).status).toBe(200);
  });
});

import { describe, expect, it } from "vitest";
import { attemptKey } from "#shared/identity/sign-in/address";
import { addUser, type HttpReply, http, joinOrganization, registerOrganization } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { loginFrom, newEmail } from "./people.ts";

useOwner();

const login = (username: string, password: string, more: Record<string, string> = {}): Promise<HttpReply> =>
  http.post("/v1/oauth2/login", { form: { username, password, ...more } });

const identities = () => mongo.db("base").collection("user");

const withoutId = ({ body, status }: HttpReply) => ({ status, ...body, request_id: "" });

describe("POST /v1/oauth2/login: 200", () => {
  it("signs in with email and password", async () => {
    const reply = await login(owner.email, owner.password);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(reply.headers.get("pragma")).toBe("no-cache");
    expect(Object.keys(reply.body).sort()).toEqual(["access_token", "expires_in", "refresh_token", "token_type"]);
    expect(claimsOf(reply.body.access_token)).toMatchObject({ sub: owner.id, org: owner.organizationId });
  });

  it("accepts what OAuth libraries send, and the email in any letter case", async () => {
    const more = { grant_type: "password", scope: "all", client_id: "an-app" };
    expect((await login(` ${owner.email.toUpperCase()} `, owner.password, more)).status).toBe(200);
  });

  it("lets many devices of one person sign in at once", async () => {
    const user = await addUser(owner.organizationId);
    const replies = await Promise.all(Array.from({ length: 12 }, () => login(user.email, user.password)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.refresh_token)).size).toBe(12);
  });

  it("signs in to another organization of the person if they cannot work in the one used last", async () => {
    const user = await addUser(owner.organizationId);
    const other = await registerOrganization();
    await joinOrganization(user, other.organizationId);
    await http.patch(`/v1/object/user/${user.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    const reply = await login(user.email, user.password);
    expect(claimsOf(reply.body.access_token).org).toBe(other.organizationId);
  });
});

describe("POST /v1/oauth2/login: 401", () => {
  it("answers an unknown email, a wrong password and a deactivated account in the same way", async () => {
    const gone = await addUser(owner.organizationId);
    await identities().updateOne({ email: gone.email }, { $set: { is_active: false } });
    const replies = [
      await login(newEmail(), "some wrong password"),
      await login((await addUser(owner.organizationId)).email, "some wrong password"),
      await login(gone.email, gone.password),
      await login("not even an address", "some wrong password"),
    ];
    for (const reply of replies) {
      expect(withoutId(reply)).toEqual(withoutId(replies[0] as HttpReply));
      expect(reply.body.code).toBe("invalid_credentials");
      expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="tenantry"');
    }
  });
});

describe("POST /v1/oauth2/login: 403", () => {
  it("refuses a person without an active organization, after the password was right", async () => {
    const user = await addUser(owner.organizationId);
    await http.patch(`/v1/object/user/${user.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    expect((await login(user.email, user.password)).body.code).toBe("not_a_member");
    expect((await login(user.email, "some wrong password")).body.code).toBe("invalid_credentials");
  });
});

describe("POST /v1/oauth2/login: 422", () => {
  it.each([
    [{ username: "a@example.test" }, ["body", "password"]],
    [{ password: "x" }, ["body", "username"]],
    [{ username: "a@example.test", password: "x", grant_type: "client_credentials" }, ["body", "grant_type"]],
  ])("refuses %j", async (form, loc) => {
    const reply = await http.post("/v1/oauth2/login", { form });
    expect(reply.status).toBe(422);
    expect(reply.body.detail[0].loc).toEqual(loc);
  });
});

describe("POST /v1/oauth2/login: 415", () => {
  it("accepts only a form", async () => {
    const reply = await http.post("/v1/oauth2/login", { body: { username: owner.email, password: owner.password } });
    expect(reply.status).toBe(415);
  });
});

describe("POST /v1/oauth2/login: 429", () => {
  const wrong = "some wrong password";

  it("locks an email for its address after five failures, for fifteen minutes, even with the right password", async () => {
    const user = await addUser(owner.organizationId);
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await login(user.email, wrong)).status).toBe(401);
    const locked = await login(user.email, user.password);
    expect(locked.status).toBe(429);
    expect(locked.body.code).toBe("too_many_attempts");
    const seconds = Number(locked.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect((await loginFrom("127.0.0.77", user.email, user.password)).status).toBe(200);
  });

  it("locks emails without an account in the same way", async () => {
    const email = newEmail();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) statuses.push((await login(email, wrong)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it("forgets failures after a success, and the lock when its time is over", async () => {
    const user = await addUser(owner.organizationId);
    for (let attempt = 0; attempt < 4; attempt += 1) await login(user.email, wrong);
    expect((await login(user.email, user.password)).status).toBe(200);
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await login(user.email, wrong)).status).toBe(401);
    expect((await login(user.email, user.password)).status).toBe(429);
    const entries = mongo.db("base").collection<{ _id: string }>("login_attempt");
    const key = attemptKey("pair", user.email, "127.0.0.1");
    const moved = await entries.updateOne({ _id: key }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect(moved.matchedCount).toBe(1);
    expect((await login(user.email, user.password)).status).toBe(200);
  });

  it("checks at most five of many concurrent guesses", async () => {
    const user = await addUser(owner.organizationId);
    const guesses = Array.from({ length: 40 }, (_, index) => login(user.email, `guess number ${index}`));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);
  });

  it("allows sign-ins only from known addresses after fifty failures in an hour", async () => {
    const user = await addUser(owner.organizationId);
    for (let machine = 0; machine < 10; machine += 1) {
      const guesses = Array.from({ length: 5 }, () => loginFrom(`127.0.1.${machine + 1}`, user.email, wrong));
      expect((await Promise.all(guesses)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    }
    const stranger = await loginFrom("127.0.2.1", user.email, user.password);
    expect(stranger).toMatchObject({ status: 429, code: "too_many_attempts" });
    expect(Number(stranger.retryAfter)).toBeGreaterThan(50 * 60);
    expect((await login(user.email, user.password)).status).toBe(200);
  });
});

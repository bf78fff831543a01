import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addUser,
  databaseClient,
  http,
  joinOrganization,
  registerOrganization,
  signIn,
  type User,
} from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { load, organizationOf, refresh, switchTo } from "./sessions.ts";

let mongo: MongoClient;
let first: User;
let second: User;
beforeAll(async () => {
  mongo = await databaseClient();
  [first, second] = await Promise.all([registerOrganization("First"), registerOrganization("Second")]);
});
afterAll(() => mongo.close());

const sessions = () => mongo.db("base").collection<{ _id: string }>("session");

/** A member of both organizations, signed in to the first. */
const memberOfBoth = async (): Promise<User> => {
  const user = await addUser(first.organizationId);
  await joinOrganization(user, second.organizationId);
  return user;
};

const deactivate = (organizationId: string, userId: string) =>
  mongo
    .db(organizationId)
    .collection<{ _id: string }>("user")
    .updateOne({ _id: userId }, { $set: { is_active: false } });

describe("POST /v1/oauth2/refresh", () => {
  it("answers a new access token any number of times, also concurrently, and keeps the refresh token", async () => {
    const user = await addUser(first.organizationId);
    const replies = await Promise.all(Array.from({ length: 20 }, () => refresh(user.refreshToken)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const [reply] = replies;
    expect(Object.keys(reply?.body).sort()).toEqual(["access_token", "expires_in", "token_type"]);
    expect(reply?.headers.get("cache-control")).toBe("no-store");
    expect(claimsOf(reply?.body.access_token)).toMatchObject({ sub: user.id, sid: claimsOf(user.token).sid });
    expect((await load(reply?.body.access_token)).status).toBe(200);
  });

  it.each(["trt_unknown", "x", "eyJhbGciOiJub25lIn0.e30."])("401: refuses %j", async (token) => {
    const reply = await refresh(token);
    expect(reply.status).toBe(401);
    expect(reply.body.code).toBe("invalid_refresh_token");
    expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="tenantry"');
  });

  it("401: refuses an access token, an expired refresh token, and one of an ended session", async () => {
    const user = await addUser(first.organizationId);
    expect((await refresh(user.token)).status).toBe(401);
    const sid = String(claimsOf(user.token).sid);
    const stored = mongo.db("base").collection("refresh_token");
    await stored.updateMany({ session_id: sid }, { $set: { expires_at: new Date(Date.now() - 1) } });
    expect((await refresh(user.refreshToken)).status).toBe(401);
    const again = await signIn(user.email);
    const expired = { $set: { expires_at: new Date(Date.now() - 1) } };
    const session = { _id: String(claimsOf(again.token).sid) };
    const admitted = mongo.db(first.organizationId).collection<{ _id: string }>("admitted_session");
    await Promise.all([sessions().updateOne(session, expired), admitted.updateOne(session, expired)]);
    expect((await refresh(again.refreshToken)).status).toBe(401);
    expect((await load(again.token)).status).toBe(401);
  });

  it("401: refuses a deactivated person", async () => {
    const user = await addUser(first.organizationId);
    await mongo
      .db("base")
      .collection("user")
      .updateOne({ email: user.email }, { $set: { is_active: false } });
    expect((await refresh(user.refreshToken)).status).toBe(401);
  });

  it("changes to another organization when the person lost the active one, and fails after the last", async () => {
    const user = await memberOfBoth();
    await deactivate(first.organizationId, user.id);
    const replies = await Promise.all(Array.from({ length: 8 }, () => refresh(user.refreshToken)));
    for (const { body } of replies) expect(organizationOf(body.access_token)).toBe(second.organizationId);
    await deactivate(second.organizationId, user.id);
    expect((await refresh(user.refreshToken)).status).toBe(401);
  });

  it("422: needs a token", async () => {
    const reply = await http.post("/v1/oauth2/refresh", { body: {} });
    expect(reply.status).toBe(422);
  });
});

describe("GET /v1/auth/load", () => {
  it("answers a member's own data and permissions", async () => {
    const user = await memberOfBoth();
    const { status, body } = await load(user.token);
    expect(status).toBe(200);
    expect(body.user).toMatchObject({
      id: user.id,
      email: user.email,
      organization_id: first.organizationId,
      organization_name: "First",
      role: null,
      is_account_owner: false,
      is_superuser: false,
    });
    expect(body.organization).toMatchObject({
      id: first.organizationId,
      name: "First",
      slug: expect.stringMatching(/^first/),
    });
    expect(body.organizations.map(({ id }: { id: string }) => id)).toEqual([
      first.organizationId,
      second.organizationId,
    ]);
    expect(body.permissions).toMatchObject([{ name: "Standard member", object_permissions: { lead: { read: true } } }]);
    expect(body.user.permissions).toEqual(body.permissions.map(({ id }: { id: string }) => id));
  });

  it("never answers the payment vendor's keys", async () => {
    const owner = await registerOrganization();
    await mongo
      .db(owner.organizationId)
      .collection("organization")
      .updateOne({}, { $set: { "billing.paymentvendor_customer_id": "cus_secret" } });
    const { body, text } = await load(owner.token);
    expect(body.organization.billing).toEqual({ plan: "free", status: "active" });
    expect(text).not.toContain("cus_secret");
  });
});

describe("POST /v1/auth/switch", () => {
  it("answers a token for the other organization in the same session, which stays there", async () => {
    const user = await memberOfBoth();
    const reply = await switchTo(user.token, second.organizationId);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(claimsOf(reply.body.access_token)).toMatchObject({
      org: second.organizationId,
      sid: claimsOf(user.token).sid,
    });
    expect((await load(reply.body.access_token)).body.organization.name).toBe("Second");
    for (const token of [user.refreshToken, reply.body.refresh_token]) {
      expect(organizationOf((await refresh(token)).body.access_token)).toBe(second.organizationId);
    }
    expect(organizationOf((await signIn(user.email)).token)).toBe(second.organizationId);
  });

  it("403: answers a foreign organization like one that does not exist", async () => {
    const user = await addUser(first.organizationId);
    const replies = [
      await switchTo(user.token, second.organizationId),
      await switchTo(user.token, "org_0000000000000000"),
      await switchTo(user.token, "base"),
    ];
    for (const { status, body } of replies) {
      expect({ status, code: body.code, detail: body.detail }).toEqual({
        status: 403,
        code: "not_a_member",
        detail: "You are not a member of this organization.",
      });
    }
  });

  it("403: refuses an organization in which the person was deactivated", async () => {
    const user = await memberOfBoth();
    await deactivate(second.organizationId, user.id);
    expect((await switchTo(user.token, second.organizationId)).status).toBe(403);
  });

  it("422: needs an id", async () => {
    expect((await http.post("/v1/auth/switch", { token: first.token, body: {} })).status).toBe(422);
  });
});

describe("POST /v1/auth/logout", () => {
  it("ends the session with all of its tokens, and no other session", async () => {
    const user = await memberOfBoth();
    const other = await signIn(user.email);
    const switched = await switchTo(user.token, second.organizationId);
    const refreshed = await refresh(user.refreshToken);
    const reply = await http.post("/v1/auth/logout", { token: user.token, expect: 204 });
    expect(reply.text).toBe("");
    for (const token of [user.token, switched.body.access_token, refreshed.body.access_token]) {
      expect((await load(token)).status).toBe(401);
    }
    for (const token of [user.refreshToken, switched.body.refresh_token])
      expect((await refresh(token)).status).toBe(401);
    expect((await load(other.token)).status).toBe(200);
    expect((await refresh(other.refreshToken)).status).toBe(200);
  });

  it("401: is refused the second time", async () => {
    const user = await addUser(first.organizationId);
    await http.post("/v1/auth/logout", { token: user.token, expect: 204 });
    expect((await http.post("/v1/auth/logout", { token: user.token })).status).toBe(401);
  });
});

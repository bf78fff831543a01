import { beforeAll, describe, expect, it } from "vitest";
import { addUser, confirmEmail, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import {
  type App,
  askToken,
  consent,
  errorOf,
  exchange,
  letIn,
  proofKey,
  REDIRECT,
  refreshed,
  registerApp,
} from "./apps.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { load } from "./sessions.ts";

useOwner();

let member: User;
let app: App;
let publicApp: App;
beforeAll(async () => {
  member = await addUser(owner.organizationId);
  [app, publicApp] = await Promise.all([registerApp(owner.token), registerApp(owner.token, { type: "public" })]);
});

const stored = (name: string) => mongo.db("base").collection<{ _id: string }>(name);

describe("clients", () => {
  it("are registered by admins, with a secret that is shown once and stored as a hash", async () => {
    expect(app.client_secret).toMatch(/^tcs_[\w-]{43}$/);
    const { body } = await http.get("/v1/auth/client", { token: owner.token });
    expect(body.clients.map((client: App) => client.client_id)).toEqual(
      expect.arrayContaining([app.client_id, publicApp.client_id]),
    );
    expect(JSON.stringify(body)).not.toContain("secret");
    expect(JSON.stringify(await stored("oauth_client").find().toArray())).not.toContain(app.client_secret);
    expect((await http.get("/v1/auth/client", { token: member.token })).status).toBe(403);
    const stranger = await registerOrganization();
    expect((await http.get("/v1/auth/client", { token: stranger.token })).body.clients).toEqual([]);
    expect((await http.delete(`/v1/auth/client/${app.client_id}`, { token: stranger.token })).status).toBe(404);
  });

  it.each([
    "http://app.example.com/callback",
    "https://app.example.com/#fragment",
    "https://*.example.com/",
    "javascript:alert(1)",
    "https://user:password@app.example.com/",
    "no address",
    "https://a;sandbox.test/cb",
    "https://a%3Bsandbox.test/cb",
    "https://a,b.test/cb",
    "https://%2A.example.com/cb",
    "https://app.example.com/cb;v=1",
    "https://app.example.com/a,b",
    "https://app.example.com/a b",
    "https://app.example.com/\tcb",
    "https://app.example.com/\u0000",
    " https://app.example.com/cb",
    "http://127.0.0.1/cb;",
    "com.example.app:/cb;sandbox",
    "com.example.app:/a b",
  ])("422: are not sent codes to %s", async (uri) => {
    const body = { name: "An app", type: "public", redirect_uris: [uri] };
    expect((await http.post("/v1/auth/client", { token: owner.token, body })).status).toBe(422);
  });

  it("422: cannot run as a user with more rights than the administrator who registers them", async () => {
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    const create = (token: string, run_as: string, type = "confidential") =>
      http.post("/v1/auth/client", { token, body: { name: "An app", type, redirect_uris: [REDIRECT], run_as } });
    expect((await create(admin.token, owner.id)).status).toBe(422);
    expect((await create(admin.token, member.id)).status).toBe(201);
    expect((await create(owner.token, owner.id)).status).toBe(201);
    expect((await create(owner.token, "nobody")).status).toBe(422);
    expect((await create(owner.token, member.id, "public")).status).toBe(422);
  });

  it("lose all of their tokens when they are removed", async () => {
    const gone = await registerApp(owner.token);
    const tokens = await letIn(member.token, gone);
    expect((await load(tokens.access_token)).status).toBe(200);
    expect((await http.delete(`/v1/auth/client/${gone.client_id}`, { token: owner.token })).status).toBe(204);
    expect((await load(tokens.access_token)).status).toBe(401);
    expect(errorOf(await refreshed(gone, tokens.refresh_token))).toBe("401 invalid_client");
  });
});

describe("POST /v1/oauth2/authorize", () => {
  it("answers a code for the app, with state and issuer in the address", async () => {
    const { body } = await consent(member.token, app, { state: "a b&c" });
    const url = new URL(body.redirect_url);
    const { issuer } = (await http.get("/.well-known/oauth-authorization-server")).body;
    expect(Object.fromEntries(url.searchParams)).toEqual({ tenant: "1", code: body.code, state: "a b&c", iss: issuer });
    expect(JSON.stringify(await stored("authorization_code").find().toArray())).not.toContain(body.code);
  });

  it.each([
    ["another address", { redirect_uri: "https://app.example.com/callback" }, "invalid_request"],
    ["an address below", { redirect_uri: `${REDIRECT}/x` }, "invalid_request"],
    ["an unknown client", { client_id: "nobody" }, "invalid_request"],
    ["another response type", { response_type: "token" }, "invalid_request"],
    ["a plain challenge", { code_challenge: proofKey().challenge, code_challenge_method: "plain" }, "invalid_request"],
    ["a challenge without its method", { code_challenge: proofKey().challenge }, "invalid_request"],
    ["more than the client may have", { scope: "read admin" }, "invalid_scope"],
    ["an unknown scope", { scope: "everything" }, "invalid_scope"],
  ])("400: refuses %s", async (_, more, error) => {
    const reply = await consent(member.token, app, more);
    expect(errorOf(reply)).toBe(`400 ${error}`);
    expect(reply.body.error_description).toMatch(/^[\x20-\x7e]+$/);
  });

  it("400: requires PKCE of public clients, and refuses a client of another organization", async () => {
    expect(errorOf(await consent(member.token, publicApp))).toBe("400 invalid_request");
    const stranger = await registerOrganization();
    const foreign = await consent(stranger.token, app);
    const unknown = await consent(stranger.token, { ...app, client_id: "nobody" });
    expect(foreign.body.detail).toBe(unknown.body.detail);
  });

  it("accepts any port of a loopback address, and no other difference", async () => {
    const cli = { client_id: "tenantry-cli", client_secret: "", redirect_uri: "http://127.0.0.1:43210/callback" };
    const proof = { code_challenge: proofKey().challenge, code_challenge_method: "S256" };
    expect((await consent(member.token, cli, proof)).status).toBe(200);
    for (const redirect_uri of [
      "http://127.0.0.1:43210/other",
      "http://localhost:43210/callback",
      "http://127.0.0.2:43210/callback",
      "http://127.0.0.1@evil.example/callback",
      "https://127.0.0.1:43210/callback",
    ]) {
      expect((await consent(member.token, cli, { ...proof, redirect_uri })).status).toBe(400);
    }
  });
});

describe("POST /v1/oauth2/code", () => {
  it("answers the address for the browser if the request is right", async () => {
    const { challenge } = proofKey();
    const ask = (body: object) => http.post("/v1/oauth2/code", { body });
    const request = { client_id: publicApp.client_id, state: "s", code_challenge: challenge };
    const sent = { ...request, response_type: "code", code_challenge_method: "S256" };
    // A redirect URI that the app named must be named again at the exchange, and no other.
    for (const redirect of [{}, { redirect_uri: REDIRECT }]) {
      const url = new URL((await ask({ ...request, ...redirect })).body.code_url);
      expect(url.pathname).toBe("/v1/oauth2/authorize");
      expect(Object.fromEntries(url.searchParams)).toEqual({ ...sent, ...redirect });
    }
    expect(errorOf(await ask({ client_id: publicApp.client_id }))).toBe("400 invalid_request");
    expect(errorOf(await ask({ client_id: "nobody" }))).toBe("400 invalid_request");
    expect(errorOf(await ask({}))).toBe("400 invalid_request");
  });
});

describe("authorization_code", () => {
  it("gives tokens that act for the person within the scope, and with no other rights", async () => {
    const tokens = await letIn(owner.token, app, "read");
    expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 900, scope: "read" });
    expect(claimsOf(tokens.access_token)).toMatchObject({ sub: owner.id, org: owner.organizationId, scope: "read" });
    const token = tokens.access_token;
    expect((await load(token)).status).toBe(200);
    expect((await http.post("/v1/query", { token, body: { query: "SELECT name FROM lead" } })).status).toBe(200);
    const write = await http.post("/v1/object/lead", { token, body: { name: "x" } });
    expect(`${write.status} ${write.body.code}`).toBe("403 insufficient_scope");
    expect(write.headers.get("www-authenticate")).toContain('scope="write"');
    const writer = (await letIn(owner.token, app, "read write")).access_token;
    expect((await http.post("/v1/object/lead", { token: writer, body: { name: "x" } })).status).toBe(201);
  });

  it("403: an administrator's app may change permissions only with the scope `admin`", async () => {
    const wide = await registerApp(owner.token, { scopes: ["read", "write", "admin"] });
    const create = async (scope: string) => {
      const { access_token: token } = await letIn(owner.token, wide, scope);
      return (await http.post("/v1/object/permission", { token, body: { name: `By ${scope}` } })).status;
    };
    expect([await create("read write"), await create("read write admin")]).toEqual([403, 201]);
    const { access_token } = await letIn(owner.token, wide, "read write");
    const body = { is_account_admin: true };
    const raised = await http.patch(`/v1/object/user/${member.id}`, { token: access_token, body });
    expect(raised.status).toBe(403);
  });

  it("403: refuses apps on routes for people only, whatever their scope", async () => {
    const whole = await registerApp(owner.token, { scopes: ["all"] });
    const { access_token: token } = await letIn(owner.token, whole);
    const refused = [
      await http.get("/v1/auth/client", { token }),
      await consent(token, app),
      await http.post("/v1/auth/switch", { token, body: { id: owner.organizationId } }),
      await http.post("/v1/auth/totp", { token, body: { password: owner.password } }),
      await http.post("/v1/oauth2/approve-2fa", { token, body: { session_id: "x", number: "12" } }),
    ];
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      refused.map(() => "403 app_not_allowed"),
    );
  });

  it("gives an app of a superuser no superuser's rights, also when they are granted later", async () => {
    const root = await addUser(owner.organizationId);
    await confirmEmail(root);
    const whole = await registerApp(owner.token, { scopes: ["all"] });
    const before = await letIn(root.token, whole);
    await invokeOperation("grant-superuser", { email: root.email, granted: true });
    const after = await letIn(root.token, whole);
    for (const { access_token } of [before, after]) {
      expect((await load(access_token)).body.user.is_superuser).toBe(false);
    }
    expect((await load(root.token)).body.user.is_superuser).toBe(true);
  });

  it("400: requires the same redirect URI, the verifier and the client to which the code was issued", async () => {
    const { verifier, challenge } = proofKey();
    const proof = { code_challenge: challenge, code_challenge_method: "S256" };
    const code = async () => (await consent(member.token, app, proof)).body.code;
    const other = await registerApp(owner.token);
    const refused = [
      await exchange(app, await code()),
      await exchange(app, await code(), { code_verifier: proofKey().verifier }),
      await exchange(app, await code(), { code_verifier: verifier, redirect_uri: "https://app.example.com/callback" }),
      await exchange(other, await code(), { code_verifier: verifier }),
      await exchange(app, (await consent(member.token, app)).body.code, { code_verifier: verifier }),
      await exchange(app, "tac_unknown", { code_verifier: verifier }),
    ];
    expect(refused.map(errorOf)).toEqual(refused.map(() => "400 invalid_grant"));
    const late = await code();
    await stored("authorization_code").updateMany({ client_id: app.client_id } as object, {
      $set: { expires_at: new Date(Date.now() - 1) },
    });
    expect(errorOf(await exchange(app, late, { code_verifier: verifier }))).toBe("400 invalid_grant");
  });

  it("400: accepts a code once of many concurrent requests, and a second use revokes the first one's session", async () => {
    const { body } = await consent(member.token, app);
    const replies = await Promise.all(Array.from({ length: 6 }, () => exchange(app, body.code)));
    const given = replies.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { body: tokens } of given) expect((await load(tokens.access_token)).status).toBe(401);
    const again = (await consent(member.token, app)).body.code;
    const first = await exchange(app, again);
    expect((await load(first.body.access_token)).status).toBe(200);
    expect(errorOf(await exchange(app, again))).toBe("400 invalid_grant");
    expect((await load(first.body.access_token)).status).toBe(401);
    expect(errorOf(await refreshed(app, first.body.refresh_token))).toBe("400 invalid_grant");
  });
});

describe("refresh_token", () => {
  it("rotates, and twenty concurrent requests are given the same successor", async () => {
    const tokens = await letIn(member.token, app);
    const replies = await Promise.all(Array.from({ length: 20 }, () => refreshed(app, tokens.refresh_token)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = new Set(replies.map(({ body }) => body.refresh_token));
    expect(successors.size).toBe(1);
    expect(successors).not.toContain(tokens.refresh_token);
    const sessions = new Set(replies.map(({ body }) => claimsOf(body.access_token).sid));
    expect(sessions).toEqual(new Set([claimsOf(tokens.access_token).sid]));
    expect((await refreshed(app, [...successors][0])).status).toBe(200);
  });

  it("ends the session when a token is used again after its grace period", async () => {
    const tokens = await letIn(member.token, app);
    const next = (await refreshed(app, tokens.refresh_token)).body;
    const sid = String(claimsOf(tokens.access_token).sid);
    const earlier = { $set: { "rotation.at": new Date(Date.now() - 31_000) } };
    await stored("refresh_token").updateOne({ session_id: sid, rotation: { $exists: true } } as object, earlier);
    expect(errorOf(await refreshed(app, tokens.refresh_token))).toBe("400 invalid_grant");
    expect(errorOf(await refreshed(app, next.refresh_token))).toBe("400 invalid_grant");
    expect((await load(next.access_token)).status).toBe(401);
  });

  it("ends the session when a token is used again after its successor was used", async () => {
    const tokens = await letIn(member.token, app);
    const next = (await refreshed(app, tokens.refresh_token)).body;
    const last = (await refreshed(app, next.refresh_token)).body;
    expect(errorOf(await refreshed(app, tokens.refresh_token))).toBe("400 invalid_grant");
    expect(errorOf(await refreshed(app, last.refresh_token))).toBe("400 invalid_grant");
    expect((await load(last.access_token)).status).toBe(401);
  });

  it("narrows the scope of the access token and never widens it", async () => {
    const tokens = await letIn(member.token, app, "read write");
    const narrow = await refreshed(app, tokens.refresh_token, { scope: "read" });
    expect(narrow.body.scope).toBe("read");
    const token = narrow.body.access_token;
    expect((await http.post("/v1/object/lead", { token, body: { name: "x" } })).status).toBe(403);
    expect(errorOf(await refreshed(app, narrow.body.refresh_token, { scope: "read admin" }))).toBe("400 invalid_scope");
    expect((await refreshed(app, narrow.body.refresh_token)).body.scope).toBe("read write");
  });

  it("works only for its client: /refresh refuses it, and /token refuses a person's", async () => {
    const tokens = await letIn(member.token, app);
    const other = await registerApp(owner.token);
    expect(errorOf(await refreshed(other, tokens.refresh_token))).toBe("400 invalid_grant");
    const { refresh_token } = tokens;
    expect((await http.post("/v1/oauth2/refresh", { body: { refresh_token } })).status).toBe(401);
    expect(errorOf(await refreshed(app, member.refreshToken))).toBe("400 invalid_grant");
    expect((await load(refresh_token)).status).toBe(401);
    expect((await refreshed(app, refresh_token)).status).toBe(200);
  });

  it("400: is refused after the person's membership has ended", async () => {
    const user = await addUser(owner.organizationId);
    const tokens = await letIn(user.token, app);
    await mongo
      .db(owner.organizationId)
      .collection<{ _id: string }>("user")
      .updateOne({ _id: user.id }, { $set: { is_active: false } });
    expect(errorOf(await refreshed(app, tokens.refresh_token))).toBe("400 invalid_grant");
    expect((await load(tokens.access_token)).status).toBe(401);
  });
});

describe("client_credentials", () => {
  it("acts as the user that the client was registered for, and as nobody else", async () => {
    const machine = await registerApp(owner.token, { run_as: member.id, scopes: ["read"] });
    const form = {
      grant_type: "client_credentials",
      client_id: machine.client_id,
      client_secret: machine.client_secret,
    };
    const { status, body } = await askToken(form);
    expect(status).toBe(200);
    expect(body.refresh_token).toBeUndefined();
    expect(claimsOf(body.access_token)).toMatchObject({ sub: member.id, scope: "read" });
    expect((await load(body.access_token)).body.user.email).toBe(member.email);
    expect((await askToken({ ...form, run_as: member.id })).status).toBe(200);
    expect(errorOf(await askToken({ ...form, run_as: owner.id }))).toBe("400 unauthorized_client");
  });

  it("400: is not for clients without a user, nor for public ones", async () => {
    const { client_id, client_secret } = app;
    const grant_type = "client_credentials";
    expect(errorOf(await askToken({ grant_type, client_id, client_secret }))).toBe("400 unauthorized_client");
    expect(errorOf(await askToken({ grant_type, client_id: publicApp.client_id }))).toBe("400 unauthorized_client");
  });
});

describe("client authentication", () => {
  it("401: answers an unknown client and a wrong secret in the same way, with the scheme that was used", async () => {
    const form = { grant_type: "client_credentials" };
    const basic = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`,
    });
    const replies = [
      await askToken(form, basic(app.client_id, "wrong")),
      await askToken(form, basic("nobody", app.client_secret)),
      await askToken(form, { authorization: "Basic !" }),
    ];
    for (const reply of replies) {
      expect(errorOf(reply)).toBe("401 invalid_client");
      expect(reply.headers.get("www-authenticate")).toBe('Basic realm="tenantry"');
    }
    const { client_id, client_secret } = app;
    expect(errorOf(await askToken({ ...form, client_id, client_secret: "wrong" }))).toBe("401 invalid_client");
    expect(errorOf(await askToken({ ...form, client_id }))).toBe("401 invalid_client");
    expect(errorOf(await askToken({ ...form, client_id: publicApp.client_id, client_secret }))).toBe(
      "401 invalid_client",
    );
    const twice = await askToken({ ...form, client_secret }, basic(client_id, client_secret));
    expect(errorOf(twice)).toBe("400 invalid_request");
  });

  it("400: answers missing and unknown parameters with OAuth's error codes", async () => {
    const { client_id, client_secret } = app;
    expect(errorOf(await askToken({ client_id, client_secret }))).toBe("400 invalid_request");
    expect(errorOf(await askToken({ client_id, client_secret, grant_type: "password" }))).toBe(
      "400 unsupported_grant_type",
    );
    expect(errorOf(await askToken({ grant_type: "refresh_token" }))).toBe("400 invalid_request");
    const raw = await http.post("/v1/oauth2/token", { raw: "{", headers: { "content-type": "application/json" } });
    expect(errorOf(raw)).toBe("400 invalid_request");
    const text = await http.post("/v1/oauth2/token", { raw: "x", headers: { "content-type": "text/plain" } });
    expect(errorOf(text)).toBe("415 invalid_request");
  });
});

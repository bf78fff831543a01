import { describe, expect, it } from "vitest";
import { addUser, confirmationTokenOf, createUser, http, platformUrl, signIn } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { askToken, consent, letIn, REDIRECT, registerApp } from "./apps.ts";
import { forgot } from "./mailbox.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { newEmail } from "./people.ts";
import { memberWithApp } from "./second-factors.ts";

useOwner();

const login = (username: string, password: string, headers: Record<string, string> = {}) =>
  http.post("/v1/oauth2/login", { form: { username, password }, headers });

const register = (password: string) => {
  const email = newEmail();
  const body = { organization_name: "Any", email, password };
  return http.post("/v1/register", { body, expect: 201 }).then(() => email);
};

describe("a password", () => {
  it("is compared exactly, with letter case, blanks and all characters", async () => {
    const password = `  Two blanks at first ${"x y ".repeat(26)}. `;
    expect(password).toHaveLength(128);
    const email = await register(password);
    const others = [password.trim(), password.toLowerCase(), password.slice(0, -1), password.replace("  ", " ")];
    for (const other of others) expect((await login(email, other)).status).toBe(401);
    expect((await login(email, password)).status).toBe(200);
  });

  it.each([
    ["128 characters", "the quick brown fox jumps over the lazy dog ".repeat(3).slice(0, 128)],
    ["letters alone", "wkzvhqmtplrn"],
    ["digits alone", "83920174658201"],
    ["another script", "пароль очень длинный"],
    ["symbols", "🦊🐙🦉🐝🦋🐢🐬🦜🦔🐌"],
  ])("may be %s", async (_, password) => {
    expect((await login(await register(password), password)).status).toBe(200);
  });

  it("does not expire", async () => {
    const { email, password } = await createUser(owner.organizationId);
    const long = new Date("2001-01-01");
    const users = mongo.db("base").collection("user");
    await users.updateOne({ email }, { $set: { created_date: long, modified_date: long } });
    expect((await login(email, password)).status).toBe(200);
  });
});

describe("guesses", () => {
  it("are counted for the address of the connection, whatever headers name another one", async () => {
    const { email, password } = await createUser(owner.organizationId);
    const from = (index: number) => {
      const address = `198.51.100.${index}`;
      return {
        "x-forwarded-for": address,
        forwarded: `for=${address}`,
        "x-real-ip": address,
        "true-client-ip": address,
      };
    };
    for (let index = 1; index <= 5; index += 1) {
      expect((await login(email, "some wrong password", from(index))).status).toBe(401);
    }
    expect((await login(email, password, from(6))).status).toBe(429);
  });

  it("find no default account", async () => {
    const names = ["admin", "root", "administrator", "sa", "superuser", "test", "guest", "admin@localhost", "tenantry"];
    for (const name of names) expect((await login(name, "admin")).body.code).toBe("invalid_credentials");
  });
});

describe("a sign-in", () => {
  it("begins a session of its own, with a token of 256 random bits", async () => {
    const { email } = await createUser(owner.organizationId);
    const users = [await signIn(email), await signIn(email), await signIn(email)];
    expect(new Set(users.map(({ token }) => claimsOf(token).sid)).size).toBe(3);
    expect(new Set(users.map(({ token }) => claimsOf(token).jti)).size).toBe(3);
    expect(new Set(users.map(({ refreshToken }) => refreshToken)).size).toBe(3);
    for (const { refreshToken } of users) expect(refreshToken).toMatch(/^trt_[\w-]{43}$/);
  });
});

describe("an account", () => {
  it("has an email that cannot be changed", async () => {
    const member = await addUser(owner.organizationId);
    const change = (token: string) =>
      http.patch(`/v1/object/user/${member.id}`, { token, body: { email: newEmail() } });
    expect((await change(member.token)).status).toBe(403);
    expect((await change(owner.token)).status).toBe(403);
    expect((await http.get("/v1/auth/load", { token: member.token })).body.user.email).toBe(member.email);
  });
});

describe("whoever registers or has forgotten the password", () => {
  it("is not asked for a hint or a secret question", async () => {
    const { paths, components } = (await http.get("/openapi.json", { expect: 200 })).body;
    const fields = ["/v1/register", "/v1/forgot-password", "/v1/reset-password"].map((path) => {
      const { schema } = paths[path].post.requestBody.content["application/json"];
      const { properties } = components.schemas[schema.$ref.split("/").at(-1)];
      return [path, Object.keys(properties).toSorted()];
    });
    expect(fields).toEqual([
      ["/v1/register", ["email", "first_name", "last_name", "organization_name", "password"]],
      ["/v1/forgot-password", ["email"]],
      ["/v1/reset-password", ["password", "token"]],
    ]);
  });
});

describe("recovery codes", () => {
  it("have 120 random bits each", async () => {
    const { recovery } = await memberWithApp(owner.organizationId);
    for (const one of recovery) expect(one).toMatch(/^[a-km-np-z2-9]{4}(?:-[a-km-np-z2-9]{4}){5}$/);
    expect(new Set(recovery).size).toBe(10);
    // Nearly always all 32 occur. Fewer than 24 are no coincidence.
    expect(new Set(recovery.join("").replaceAll("-", "")).size).toBeGreaterThanOrEqual(24);
  });
});

describe("a secret that gives access", () => {
  it("is never stored in plain text", async () => {
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    const member = await addUser(owner.organizationId);
    const app = await registerApp(owner.token);
    const waiting = await login(person.email, person.password);
    const resetToken = await forgot(person.email);
    const granted = await letIn(member.token, app);
    const { client_id, client_secret } = app;
    const form = { grant_type: "refresh_token", client_id, client_secret, refresh_token: granted.refresh_token };
    const secrets = [
      person.password,
      waiting.body.session_id,
      resetToken,
      await confirmationTokenOf(owner.email),
      member.token.split(".")[2],
      member.refreshToken,
      granted.refresh_token,
      (await askToken(form)).body.refresh_token,
      (await consent(member.token, app)).body.code,
      client_secret,
    ];
    for (const name of ["base", owner.organizationId]) {
      const database = mongo.db(name);
      const collections = await database.listCollections().toArray();
      const contents = await Promise.all(collections.map((one) => database.collection(one.name).find().toArray()));
      const text = JSON.stringify(contents);
      expect(text).toContain(owner.organizationId);
      for (const secret of secrets) {
        expect(secret).toBeTruthy();
        expect(text).not.toContain(secret);
      }
    }
  });

  it("is only in answers that must not be cached", async () => {
    const person = await createUser(owner.organizationId, { twoFactor: "email" });
    const member = await addUser(owner.organizationId);
    const { token, refreshToken: refresh_token } = member;
    const run_as = { name: "An app", type: "confidential", run_as: member.id };
    const client = await http.post("/v1/auth/client", { token: owner.token, body: run_as, expect: 201 });
    const { client_id, client_secret } = client.body;
    const replies = [
      client,
      await login(member.email, member.password),
      await login(person.email, person.password),
      await http.post("/v1/oauth2/refresh", { body: { refresh_token } }),
      await askToken({ grant_type: "client_credentials", client_id, client_secret }),
      await consent(token, await registerApp(owner.token)),
      await http.post("/v1/auth/switch", { token, body: { id: owner.organizationId } }),
      await http.post("/v1/auth/totp", { token, body: { password: member.password } }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBeLessThan(300);
      expect(reply.headers.get("cache-control")).toBe("no-store");
    }
  });
});

describe("a client", () => {
  it("has an id that the platform generated, which cannot be a person's", async () => {
    const body = { name: "An app", type: "public", redirect_uris: [REDIRECT], client_id: owner.id, id: owner.id };
    const reply = await http.post("/v1/auth/client", { token: owner.token, body });
    expect(reply.status).toBe(201);
    expect(reply.body.client_id).not.toBe(owner.id);
    const { clients } = (await http.get("/v1/auth/client", { token: owner.token })).body;
    expect(clients.map(({ client_id }: { client_id: string }) => client_id)).not.toContain(owner.id);
  });

  it("that is the platform's own command line has no secret and never acts alone", async () => {
    const form = { grant_type: "client_credentials", client_id: "tenantry-cli" };
    expect((await askToken(form)).body.error).toBe("unauthorized_client");
    expect((await askToken({ ...form, client_secret: "tenantry-cli" })).body.error).toBe("invalid_client");
  });
});

describe("the authorization server", () => {
  it("publishes what it supports: codes with S256 and `iss`, without implicit and password grants", async () => {
    const { body } = await http.get("/.well-known/oauth-authorization-server", { expect: 200 });
    expect(body).toMatchObject({
      issuer: platformUrl,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    });
    for (const endpoint of ["authorization_endpoint", "token_endpoint", "jwks_uri"]) {
      expect(new URL(body[endpoint]).origin).toBe(platformUrl);
    }
  });

  it("does not let a script of another origin ask for a code", async () => {
    const url = `${platformUrl}/v1/oauth2/authorize`;
    const origin = "https://app.example.com";
    const headers = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    };
    for (const method of ["OPTIONS", "GET", "POST"]) {
      const reply = await fetch(url, { method, headers, redirect: "manual" });
      expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

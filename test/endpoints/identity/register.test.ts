import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseClient, type HttpReply, http } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { newEmail, newPassword } from "./people.ts";

let mongo: MongoClient;
beforeAll(async () => {
  mongo = await databaseClient();
});
afterAll(() => mongo.close());

const register = (body: Record<string, unknown>): Promise<HttpReply> =>
  http.post("/v1/register", {
    body: { organization_name: "Analytical Engines", email: newEmail(), password: newPassword, ...body },
  });

const identities = () => mongo.db("base").collection("user");
const registry = () =>
  mongo
    .db("base")
    .collection<{ _id: string; status: string; cluster: string; slug: string; name: string }>("organization");

describe("POST /v1/register: 201", () => {
  it("creates the organization and signs its owner in", async () => {
    const email = newEmail();
    const reply = await register({ email: ` ${email.toUpperCase()} `, first_name: "Ada", last_name: "Lovelace" });
    expect(reply.status).toBe(201);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(reply.headers.get("pragma")).toBe("no-cache");
    expect(reply.body).toMatchObject({
      token_type: "bearer",
      expires_in: 900,
      organization_id: expect.stringMatching(/^org_[0-9a-z]{16}$/),
      refresh_token: expect.stringMatching(/^trt_[\w-]{43}$/),
    });
    expect(claimsOf(reply.body.access_token)).toMatchObject({
      org: reply.body.organization_id,
      email,
      typ: "access",
    });
    const { body } = await http.get("/v1/auth/load", { token: reply.body.access_token, expect: 200 });
    expect(body.user).toMatchObject({
      email,
      name: "Ada Lovelace",
      is_account_owner: true,
      organization_id: reply.body.organization_id,
    });
    expect(body.organizations).toEqual([{ id: reply.body.organization_id, name: "Analytical Engines" }]);
  });

  it("gives the organization the standard objects and a permission for its members", async () => {
    const { body } = await register({});
    const schemas = await http.get("/v1/schema", { token: body.access_token, expect: 200 });
    expect(Object.keys(schemas.body)).toEqual(
      expect.arrayContaining(["lead", "contact", "company", "user", "permission"]),
    );
    const permissions = await mongo.db(body.organization_id).collection("permission").find().toArray();
    expect(permissions).toMatchObject([
      {
        name: "Standard member",
        object_permissions: { lead: { create: true, delete: true }, user: { read: true, update: false } },
      },
    ]);
  });

  it("stores neither the password nor the refresh token", async () => {
    const { body } = await register({ password: "a secret worth keeping" });
    const stored = JSON.stringify([
      await identities().find({ "organizations.id": body.organization_id }).toArray(),
      await mongo.db("base").collection("refresh_token").find().toArray(),
      await mongo.db(body.organization_id).collection("user").find().toArray(),
    ]);
    expect(stored).toContain("$argon2id$v=19$m=");
    expect(stored).not.toContain("a secret worth keeping");
    expect(stored).not.toContain(body.refresh_token);
  });

  it("uses the local part of the email as name by default, and allows equal organization names", async () => {
    const email = newEmail();
    const organization_name = `Twins ${newEmail()}`;
    const replies = [await register({ email, organization_name }), await register({ organization_name })];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const loaded = await http.get("/v1/auth/load", { token: replies[0]?.body.access_token, expect: 200 });
    expect(loaded.body.user.name).toBe(email.split("@")[0]);
    const entries = await registry()
      .find({ _id: { $in: replies.map(({ body }) => body.organization_id) } })
      .toArray();
    expect(new Set(entries.map(({ slug }) => slug)).size).toBe(2);
  });
});

describe("POST /v1/register: 409", () => {
  it("refuses an email with an account, in any letter case", async () => {
    const email = newEmail();
    await register({ email });
    const again = await register({ email: email.toUpperCase() });
    expect(again.status).toBe(409);
    expect(again.body.code).toBe("email_taken");
  });

  it("accepts exactly one of many concurrent registrations of one email", async () => {
    const email = newEmail();
    const organization_name = `Rivals ${newEmail()}`;
    const replies = await Promise.all(Array.from({ length: 6 }, () => register({ email, organization_name })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await identities().countDocuments({ email })).toBe(1);
    const winner = replies.find(({ status }) => status === 201);
    const entries = await registry().find({ name: organization_name }).toArray();
    expect(entries).toMatchObject([{ _id: winner?.body.organization_id, status: "active" }]);
    await http.get("/v1/auth/load", { token: winner?.body.access_token, expect: 200 });
  });
});

describe("an interrupted registration", () => {
  const cutOff = async (email: string, minutesAgo: number): Promise<string> => {
    const { body } = await register({ email });
    const id: string = body.organization_id;
    const claimed_at = new Date(Date.now() - minutesAgo * 60_000);
    await identities().updateOne(
      { email },
      { $set: { is_active: false, organizations: [], registering: { organization_id: id, claimed_at } } },
    );
    await registry().updateOne({ _id: id }, { $set: { status: "provisioning" } });
    await mongo.db("base").collection("session").deleteMany({ organization_id: id });
    return id;
  };

  it("holds its email for a minute, and nobody can sign in to it", async () => {
    const email = newEmail();
    await cutOff(email, 0);
    expect((await register({ email })).body).toMatchObject({ code: "email_taken" });
    const login = await http.post("/v1/oauth2/login", { form: { username: email, password: newPassword } });
    expect(login.body.code).toBe("invalid_credentials");
  });

  it("is removed by the next registration after that", async () => {
    const email = newEmail();
    const abandoned = await cutOff(email, 2);
    const reply = await register({ email, password: "another password altogether" });
    expect(reply.status).toBe(201);
    expect(reply.body.organization_id).not.toBe(abandoned);
    expect(await registry().findOne({ _id: abandoned })).toBeNull();
    for (const name of ["user", "organization", "organization_state", "permission", "schemas"]) {
      expect(await mongo.db(abandoned).collection(name).countDocuments()).toBe(0);
    }
    const login = await http.post("/v1/oauth2/login", {
      form: { username: email, password: "another password altogether" },
    });
    expect(login.status).toBe(200);
  });
});

describe("POST /v1/register: 422", () => {
  it.each([
    [{ email: "no address" }, "email"],
    [{ email: undefined }, "email"],
    [{ organization_name: "  " }, "organization_name"],
    [{ organization_name: "a\u0000b" }, "organization_name"],
    [{ password: "short" }, "password"],
    [{ password: "password1234" }, "password"],
    [{ password: "Analytical Engines" }, "password"],
    [{ first_name: "x".repeat(81) }, "first_name"],
  ])("refuses %j", async (body, field) => {
    const reply = await register(body);
    expect(reply.status).toBe(422);
    expect(reply.body.detail.map(({ loc }: { loc: unknown[] }) => loc)).toEqual([["body", field]]);
  });

  it("never shows the refused password", async () => {
    const reply = await register({ password: "hunter2" });
    expect(reply.text).not.toContain("hunter2");
  });
});

describe("POST /v1/register: 415", () => {
  it("accepts only JSON", async () => {
    const reply = await http.post("/v1/register", { form: { email: newEmail() } });
    expect(reply.status).toBe(415);
  });
});

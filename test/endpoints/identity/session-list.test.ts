import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, signIn, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { letIn, registerApp } from "./apps.ts";

let owner: User;
beforeAll(async () => {
  owner = await registerOrganization();
});

const list = async (token: string) => (await http.get("/v1/auth/session", { token, expect: 200 })).body.sessions;
const end = (token: string, id: string) => http.delete(`/v1/auth/session/${id}`, { token });
const sidOf = (token: string): string => String(claimsOf(token).sid);
const load = async (token: string) => (await http.get("/v1/auth/load", { token })).status;
const audit = (token: string, query: Record<string, string | number> = {}) =>
  http.get("/v1/auth/audit", { token, query });
const typesOf = async (token: string, query = {}): Promise<string[]> =>
  (await audit(token, query)).body.entries.map(({ type }: { type: string }) => type);

describe("GET /v1/auth/session", () => {
  it("lists the caller's devices and apps, newest first, and nobody else's", async () => {
    const user = await addUser(owner.organizationId);
    const form = { username: user.email, password: user.password };
    const headers = { "user-agent": `Browser ${"x".repeat(500)}` };
    const { body } = await http.post("/v1/oauth2/login", { form, headers, expect: 200 });
    const app = await registerApp(owner.token);
    await letIn(user.token, app, "read");
    const sessions = await list(body.access_token);
    expect(sessions).toMatchObject([
      { kind: "app", current: false, app: { id: app.client_id, name: "An app" }, scope: "read" },
      { kind: "device", current: true, id: sidOf(body.access_token), app: null, scope: "all", address: "127.0.0.1" },
      { current: false, id: sidOf(user.token) },
    ]);
    expect(sessions).toHaveLength(3);
    expect(sessions[1].user_agent).toMatch(/^Browser x+$/);
    expect(sessions[1].user_agent).toHaveLength(300);
  });
});

describe("DELETE /v1/auth/session/{id}", () => {
  it("ends another device's session, or an app's, at once", async () => {
    const user = await addUser(owner.organizationId);
    const other = await signIn(user.email);
    const granted = await letIn(user.token, await registerApp(owner.token));
    for (const token of [other.token, granted.access_token]) {
      expect(await load(token)).toBe(200);
      expect((await end(user.token, sidOf(token))).status).toBe(204);
      expect(await load(token)).toBe(401);
    }
    expect((await http.post("/v1/oauth2/refresh", { body: { refresh_token: other.refreshToken } })).status).toBe(401);
    expect(await list(user.token)).toHaveLength(1);
    expect(await load(user.token)).toBe(200);
  });

  it("404: answers another person's session and an ended one as not found", async () => {
    const user = await addUser(owner.organizationId);
    expect((await end(owner.token, sidOf(user.token))).body.code).toBe("session_not_found");
    expect(await load(user.token)).toBe(200);
    expect((await end(user.token, "nothing")).status).toBe(404);
  });
});

describe("GET /v1/auth/audit", () => {
  it("lists sign-ins, refusals, grants and revocations with person, time and origin", async () => {
    const user = await addUser(owner.organizationId);
    await http.post("/v1/oauth2/login", { form: { username: user.email, password: "some wrong password" } });
    const app = await registerApp(owner.token);
    const granted = await letIn(user.token, app);
    await end(user.token, sidOf(granted.access_token));
    const other = await signIn(user.email);
    await http.post("/v1/auth/logout", { token: other.token, expect: 204 });
    const { body, text } = await audit(user.token);
    expect(body.entries.map(({ type }: { type: string }) => type)).toEqual([
      "signed_out",
      "signed_in",
      "grant_revoked",
      "grant_issued",
      "sign_in_refused",
      "signed_in",
    ]);
    expect(body.entries[2]).toMatchObject({ user_id: user.id, client_id: app.client_id, address: "127.0.0.1" });
    expect(text).not.toContain("some wrong password");
  });

  it("lists the whole organization only for administrators, in pages", async () => {
    const user = await addUser(owner.organizationId);
    const all = (await audit(owner.token, { of: "organization", limit: 500 })).body.entries;
    expect(all).toContainEqual(expect.objectContaining({ type: "signed_in", user_id: user.id }));
    expect((await audit(user.token, { of: "organization" })).status).toBe(403);
    const first = (await audit(owner.token, { of: "organization", limit: 2 })).body;
    const query = { of: "organization", limit: 2, before: first.next };
    const second = (await audit(owner.token, query)).body;
    expect([...first.entries, ...second.entries]).toEqual(all.slice(0, 4));
    const stranger = await registerOrganization();
    expect(await typesOf(stranger.token, { of: "organization" })).toEqual(["signed_in"]);
    expect((await audit(owner.token, { limit: 0 })).status).toBe(422);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, signIn, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { letIn, registerApp } from "./apps.ts";

let owner: User;
let admin: User;
beforeAll(async () => {
  owner = await registerOrganization();
  admin = await addUser(owner.organizationId, { isAccountAdmin: true });
});

const list = (token: string, user_id: string) => http.get("/v1/auth/session", { token, query: { user_id } });
const end = (token: string, { id: user_id }: User, sid: string) =>
  http.delete(`/v1/auth/session/${sid}`, { token, query: { user_id } });
const load = async (token: string) => (await http.get("/v1/auth/load", { token })).status;
const sidOf = (token: string): string => String(claimsOf(token).sid);

describe("an administrator", () => {
  it("lists a user's sessions and ends them all at once, including those of apps", async () => {
    const user = await addUser(owner.organizationId);
    const other = await signIn(user.email);
    const granted = await letIn(user.token, await registerApp(owner.token));
    const tokens = [granted.access_token, other.token, user.token];
    const { sessions } = (await list(admin.token, user.id)).body;
    expect(sessions.map(({ id }: { id: string }) => id)).toEqual(tokens.map(sidOf));
    for (const { id } of sessions) expect((await end(admin.token, user, id)).status).toBe(204);
    for (const token of tokens) expect(await load(token)).toBe(401);
    expect((await http.post("/v1/oauth2/refresh", { body: { refresh_token: user.refreshToken } })).status).toBe(401);
    expect((await list(admin.token, user.id)).body.sessions).toEqual([]);
    const { entries } = (await http.get("/v1/auth/audit", { token: (await signIn(user.email)).token })).body;
    const ended = { type: "session_ended", user_id: user.id, session_id: sidOf(admin.token) };
    expect(entries).toContainEqual(expect.objectContaining(ended));
  });

  it("403: cannot end an owner's session, but another owner can", async () => {
    expect((await end(admin.token, owner, sidOf(owner.token))).body.code).toBe("forbidden");
    expect(await load(owner.token)).toBe(200);
    const second = await addUser(owner.organizationId, { isAccountAdmin: true });
    const raised = { token: owner.token, body: { is_account_owner: true } };
    await http.patch(`/v1/object/user/${second.id}`, { ...raised, expect: 200 });
    const other = await signIn(owner.email);
    expect((await end(second.token, owner, sidOf(other.token))).status).toBe(204);
    expect(await load(other.token)).toBe(401);
  });

  it("404: cannot see users of another organization or their sessions", async () => {
    const stranger = await registerOrganization();
    expect((await list(stranger.token, admin.id)).body.code).toBe("record_not_found");
    expect((await end(stranger.token, admin, sidOf(admin.token))).body.code).toBe("record_not_found");
    expect((await end(stranger.token, stranger, sidOf(admin.token))).body.code).toBe("session_not_found");
    expect(await load(admin.token)).toBe(200);
  });
});

describe("a plain member", () => {
  it("403 and 404: can list and end only their own sessions", async () => {
    const member = await addUser(owner.organizationId);
    expect((await list(member.token, admin.id)).body.code).toBe("forbidden");
    expect((await list(member.token, member.id)).body.sessions).toHaveLength(1);
    expect((await end(member.token, admin, sidOf(admin.token))).body.code).toBe("forbidden");
    expect((await end(member.token, member, sidOf(admin.token))).body.code).toBe("session_not_found");
    expect(await load(admin.token)).toBe(200);
  });
});

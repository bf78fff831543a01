import { describe, expect, it } from "vitest";
import { addUser, forge, http, invokeOperation, registerOrganization, signIn, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { type App, askToken, errorOf, letIn, registerApp } from "./apps.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { load } from "./sessions.ts";

useOwner();

const ask = ({ client_id, client_secret }: App, more: Record<string, string> = {}) =>
  askToken({ grant_type: "client_credentials", client_id, client_secret, ...more });

/** An access token of a client that acts alone. */
const tokenOf = async (app: App): Promise<string> => (await ask(app)).body.access_token;

const change = (user: Pick<User, "id">, body: object, token = owner.token) =>
  http.patch(`/v1/object/user/${user.id}`, { token, body });

const adopt = (token: string, { client_id }: App, body?: object) =>
  http.post(`/v1/auth/client/${client_id}/adopt`, { token, ...(body === undefined ? {} : { body }) });

const listed = async ({ client_id }: App) => {
  const { body } = await http.get("/v1/auth/client", { token: owner.token, expect: 200 });
  return body.clients.find((client: App) => client.client_id === client_id);
};

const addAdmin = (): Promise<User> => addUser(owner.organizationId, { isAccountAdmin: true, permissions: [] });

/** A client with all rights of its user. */
const machineOf = (admin: User, user: User): Promise<App> =>
  registerApp(admin.token, { scopes: ["all"], run_as: user.id, redirect_uris: [] });

describe("a client that acts alone", () => {
  it("never has an owner's rights, even if its user became an owner after it was registered", async () => {
    const admin = await addAdmin();
    const colleague = await addUser(owner.organizationId);
    const machine = await machineOf(admin, colleague);
    const before = await tokenOf(machine);
    expect((await change(colleague, { is_account_owner: true })).status).toBe(200);
    for (const token of [before, await tokenOf(machine)]) {
      expect((await load(token)).body.user).toMatchObject({ id: colleague.id, is_account_owner: false });
      expect((await change(admin, { is_account_owner: true }, token)).status).toBe(403);
      expect((await change(owner, { is_account_admin: false }, token)).status).toBe(403);
    }
    expect((await load(admin.token)).body.user.is_account_owner).toBe(false);
  });

  it("has no owner's rights, even if an owner has registered it to run as themselves", async () => {
    const machine = await machineOf(owner, owner);
    const token = await tokenOf(machine);
    const member = await addUser(owner.organizationId);
    expect((await change(member, { is_account_owner: true }, token)).status).toBe(403);
    expect((await change(member, { is_account_admin: true }, token)).status).toBe(200);
  });

  it("has exactly the rights of its user if an administrator is responsible for it", async () => {
    const reader = await addUser(owner.organizationId);
    const machine = await machineOf(await addAdmin(), reader);
    const token = await tokenOf(machine);
    expect((await http.get("/v1/object/lead", { token })).status).toBe(200);
    expect((await http.get("/v1/object/log", { token })).status).toBe(403);
    expect((await change(reader, { is_account_admin: true }, token)).status).toBe(403);
    await change(reader, { permissions: [] });
    expect((await http.get("/v1/object/lead", { token })).status).toBe(403);
  });

  it("gains and loses an administrator's rights with its user, from the next request on", async () => {
    const user = await addUser(owner.organizationId);
    const token = await tokenOf(await machineOf(await addAdmin(), user));
    const permissions = () => http.post("/v1/object/permission", { token, body: { name: "New" } });
    expect((await permissions()).status).toBe(403);
    await change(user, { is_account_admin: true });
    expect((await permissions()).status).toBe(201);
    await change(user, { is_account_admin: false });
    expect((await permissions()).status).toBe(403);
  });

  const losses: [string, (admin: User) => Promise<unknown>][] = [
    ["deactivated", (admin) => change(admin, { is_active: false })],
    ["deleted", ({ id }) => http.delete(`/v1/object/user/${id}`, { token: owner.token, expect: 200 })],
    ["no administrator any more", (admin) => change(admin, { is_account_admin: false })],
  ];
  it.each(losses)(
    "stops at once when the administrator who registered it is %s, until it is adopted",
    async (_, lose) => {
      const [admin, user] = await Promise.all([addAdmin(), addUser(owner.organizationId)]);
      const machine = await machineOf(admin, user);
      const token = await tokenOf(machine);
      expect(await listed(machine)).toMatchObject({ responsible: admin.id, usable: true, problem: null });
      await lose(admin);
      expect(await load(token)).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
      expect(errorOf(await ask(machine))).toBe("400 unauthorized_client");
      expect(await listed(machine)).toMatchObject({ usable: false, problem: "adoption_required" });
      const successor = await addAdmin();
      const adopted = await adopt(successor.token, machine);
      expect(adopted).toMatchObject({ status: 200, body: { responsible: successor.id, usable: true, problem: null } });
      expect(adopted.body).not.toHaveProperty("client_secret");
      expect((await load(await tokenOf(machine))).status).toBe(200);
      // Tokens that were issued under the former administrator stay bound to them.
      expect((await load(token)).status).toBe(401);
    },
  );

  it("works again when the one who registered it is an administrator again, except for earlier tokens", async () => {
    const [admin, user] = await Promise.all([addAdmin(), addUser(owner.organizationId)]);
    const machine = await machineOf(admin, user);
    const token = await tokenOf(machine);
    await change(admin, { is_active: false });
    await change(admin, { is_active: true });
    expect((await load(token)).status).toBe(401);
    expect((await load(await tokenOf(machine))).status).toBe(200);
  });

  it("is issued no token while its user is inactive, and the list shows that", async () => {
    const user = await addUser(owner.organizationId);
    const machine = await machineOf(owner, user);
    await change(user, { is_active: false });
    expect(errorOf(await ask(machine))).toBe("400 invalid_grant");
    expect(await listed(machine)).toMatchObject({ usable: false, problem: "run_as_inactive" });
  });

  it("is refused with a token that does not name its responsible administrator", async () => {
    const token = await tokenOf(await machineOf(owner, await addUser(owner.organizationId)));
    const { responsible, ...claims } = claimsOf(token);
    expect(responsible).toBe(owner.id);
    expect((await load(await forge.sign(claims))).status).toBe(401);
    const another = await addAdmin();
    expect((await load(await forge.sign({ ...claims, responsible: another.id }))).status).toBe(401);
    expect((await load(await forge.sign({ ...claims, responsible }))).status).toBe(200);
  });

  it("loses sessions from before the responsible administrator was stored", async () => {
    const token = await tokenOf(await machineOf(owner, await addUser(owner.organizationId)));
    const _id = String(claimsOf(token).sid);
    const sessions = mongo.db(owner.organizationId).collection<{ _id: string }>("admitted_session");
    await sessions.updateOne({ _id }, { $unset: { responsible: "" } });
    expect((await load(token)).status).toBe(401);
  });
});

describe("a grant that a person has consented to", () => {
  it("stays valid when the administrator who registered the app leaves, with the person's rights", async () => {
    const admin = await addAdmin();
    const app = await registerApp(admin.token, { scopes: ["all"] });
    const tokens = await letIn(owner.token, app);
    await change(admin, { is_active: false });
    expect((await load(tokens.access_token)).body.user).toMatchObject({ id: owner.id, is_account_owner: true });
    expect(await listed(app)).toMatchObject({ usable: true, problem: null });
  });
});

describe("POST /v1/auth/client/{id}/adopt", () => {
  it("403: only an owner may be responsible for a client that runs as an owner", async () => {
    const [admin, colleague] = await Promise.all([addAdmin(), addUser(owner.organizationId)]);
    const machine = await machineOf(admin, colleague);
    await change(colleague, { is_account_owner: true });
    const other = await addAdmin();
    expect((await adopt(other.token, machine)).status).toBe(403);
    expect((await adopt(owner.token, machine)).body).toMatchObject({ responsible: owner.id });
  });

  it("gives the client a new secret if asked to, and the old one stops working", async () => {
    const machine = await machineOf(owner, await addUser(owner.organizationId));
    const { body } = await adopt((await addAdmin()).token, machine, { new_secret: true });
    expect(body.client_secret).toMatch(/^tcs_[\w-]{43}$/);
    expect(errorOf(await ask(machine))).toBe("401 invalid_client");
    expect((await ask({ ...machine, client_secret: body.client_secret })).status).toBe(200);
    const shown = await registerApp(owner.token, { type: "public" });
    expect((await adopt(owner.token, shown, { new_secret: true })).status).toBe(422);
  });

  it("403, 404 and 422: needs an administrator of the client's organization without an app, and an active user", async () => {
    const user = await addUser(owner.organizationId);
    const machine = await machineOf(owner, user);
    expect((await adopt(user.token, machine)).status).toBe(403);
    const app = await letIn(owner.token, await registerApp(owner.token, { scopes: ["all"] }));
    expect((await adopt(app.access_token, machine)).body.code).toBe("app_not_allowed");
    const stranger = await registerOrganization();
    expect((await adopt(stranger.token, machine)).body.code).toBe("client_not_found");
    await change(user, { is_active: false });
    expect((await adopt(owner.token, machine)).status).toBe(422);
  });

  it("403 and 422: refuses a superuser who is no administrator here, as registering does", async () => {
    const operator = await addUser(owner.organizationId, { isSuperuser: true });
    const { token } = await signIn(operator.email);
    const user = await addUser(owner.organizationId);
    const machine = await machineOf(owner, user);
    expect((await adopt(token, machine)).status).toBe(403);
    const body = { name: "An app", type: "confidential", run_as: user.id };
    expect((await http.post("/v1/auth/client", { token, body })).status).toBe(422);
    await invokeOperation("grant-superuser", { email: operator.email, granted: false });
  });
});

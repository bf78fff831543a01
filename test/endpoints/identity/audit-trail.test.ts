import { describe, expect, it } from "vitest";
import {
  addUser,
  confirmEmail,
  createUser,
  http,
  invokeOperation,
  mailsTo,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { registerApp } from "./apps.ts";
import { mongo, owner, useOwner } from "./owner.ts";
import { newEmail } from "./people.ts";
import { setUpApp } from "./second-factors.ts";

useOwner();

type Entry = Record<string, unknown> & {
  action: string;
  changes: Record<string, unknown> | null;
  details: Record<string, unknown> | null;
};

/** The audit trail as administrators read it, oldest first. */
const trailOf = async (token = owner.token): Promise<Entry[]> => {
  const query = { order_by: "id", limit: 1000 };
  return (await http.get("/v1/object/audit_entry", { token, query, expect: 200 })).body;
};

/** The new audit entries of some work. */
const during = async (work: () => Promise<unknown>, token = owner.token): Promise<Entry[]> => {
  const before = (await trailOf(token)).length;
  await work();
  return (await trailOf(token)).slice(before);
};

const change = (object: string, id: string, body: object, token = owner.token) =>
  http.patch(`/v1/object/${object}/${id}`, { token, body, expect: 200 });

const changeUser = ({ id }: Pick<User, "id">, body: object, token = owner.token) => change("user", id, body, token);

const by = (user: User) => ({
  by: { id: user.id, schema: "user", name: expect.any(String) },
  by_email: user.email,
  as_superuser: false,
});

const lastMail = async (email: string, subject: string): Promise<string | undefined> =>
  (await mailsTo(email)).findLast((mail) => mail.headers.subject === subject)?.text;

const mailCount = async (email: string, subject: string): Promise<number> =>
  (await mailsTo(email)).filter((mail) => mail.headers.subject === subject).length;

const OWNERS = "The owners of your organization have changed";
const STOPPED = "Apps of your organization have stopped";
const ENTERED = "An operator of the platform has entered your organization";

describe("the audit trail has an entry", () => {
  it.each([
    ["is_account_admin", false, true],
    ["is_account_owner", false, true],
    ["is_active", true, false],
  ])("for a change of a user's %s, who made it and by which request", async (field, from, to) => {
    const user = await addUser(owner.organizationId);
    let request = "";
    const entries = await during(async () => {
      request = (await changeUser(user, { [field]: to })).headers.get("x-request-id") ?? "";
    });
    expect(entries).toEqual([
      expect.objectContaining({
        ...by(owner),
        action: "updated",
        object: "user",
        record_id: user.id,
        at: expect.any(String),
        request_id: request,
        session_id: expect.any(String),
        client_id: null,
        changes: { [field]: { from: from === false ? expect.toBeOneOf([false, null]) : from, to } },
      }),
    ]);
  });

  it("for each user of a batch, for permissions and roles, with what they were", async () => {
    const users = [await addUser(owner.organizationId), await addUser(owner.organizationId, { permissions: [] })];
    const role = (await http.post("/v1/object/role", { token: owner.token, body: { name: "Sales" }, expect: 201 }))
      .body;
    const entries = await during(() =>
      http.patch("/v1/object/user", {
        token: owner.token,
        body: users.map(({ id }) => ({ id, permissions: [], role: role.id })),
        expect: 200,
      }),
    );
    expect(entries.map(({ record_id }) => record_id)).toEqual(users.map(({ id }) => id));
    expect(entries[0]?.changes).toEqual({
      permissions: { from: [expect.objectContaining({ name: "Standard member" })], to: [] },
      role: { from: null, to: { id: role.id, schema: "role", name: "Sales" } },
    });
    expect(Object.keys(entries[1]?.changes ?? {})).toEqual(["role"]);
  });

  it("for changes of permission and role records, including rights to secrets", async () => {
    const { token } = owner;
    const rights = { auth_credential: { read: true }, lead: { read: true } };
    let id = "";
    const entries = await during(async () => {
      const body = { name: "Readers", object_permissions: { lead: { read: true } } };
      id = (await http.post("/v1/object/permission", { token, body, expect: 201 })).body.id;
      await change("permission", id, { object_permissions: rights });
      await http.delete(`/v1/object/permission?ids=${id}`, { token, expect: 200 });
    });
    expect(entries.map(({ action, object, record_id }) => [action, object, record_id])).toEqual(
      ["created", "updated", "deleted"].map((action) => [action, "permission", id]),
    );
    expect(entries[1]?.changes).toEqual({
      object_permissions: { from: { lead: { read: true } }, to: rights },
    });
    expect(entries[2]?.changes).toMatchObject({ name: { from: "Readers", to: null } });
  });

  it("for turning the required second factor on and off, without values that look like secrets", async () => {
    const strict = await registerOrganization();
    const set = (settings: object) => change("organization", strict.organizationId, { settings }, strict.token);
    await setUpApp(strict);
    const entries = await during(async () => {
      await set({ time_zone: "Europe/Berlin" });
      await set({ time_zone: "Europe/Berlin" });
      await set({ require_second_factor: true, smtp_password: "hunter2", smtp: { password: ["hunter2"] } });
      await set({});
    }, strict.token);
    expect(entries.map(({ action, object }) => [action, object])).toEqual([
      ["updated", "organization"],
      ["updated", "organization"],
      ["updated", "organization"],
    ]);
    expect(entries[1]?.changes).toMatchObject({
      settings: {
        from: { time_zone: "Europe/Berlin" },
        to: { require_second_factor: true, smtp_password: "[hidden]" },
      },
    });
    expect(
      JSON.stringify(await mongo.db(strict.organizationId).collection("audit_entry").find().toArray()),
    ).not.toContain("hunter2");
  });

  it("for a deleted user, with their name and rights, but without their other organizations", async () => {
    const user = await addUser(owner.organizationId, { isAccountAdmin: true });
    const entries = await during(() => http.delete(`/v1/object/user/${user.id}`, { token: owner.token, expect: 200 }));
    expect(entries).toMatchObject([{ action: "deleted", object: "user", record_id: user.id }]);
    expect(entries[0]?.changes).toMatchObject({
      email: { from: user.email, to: null },
      is_account_admin: { from: true, to: null },
      organizations: { hidden: true },
    });
  });

  it("for a client that is registered, adopted and removed", async () => {
    const user = await addUser(owner.organizationId);
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    let id = "";
    const entries = await during(async () => {
      id = (await registerApp(owner.token, { run_as: user.id })).client_id;
      await http.post(`/v1/auth/client/${id}/adopt`, { token: admin.token, body: { new_secret: true }, expect: 200 });
      await http.delete(`/v1/auth/client/${id}`, { token: owner.token, expect: 204 });
      await http.delete(`/v1/auth/client/${id}`, { token: owner.token, expect: 404 });
    });
    expect(entries.map(({ action, record_id }) => [action, record_id])).toEqual(
      ["client_registered", "client_adopted", "client_deleted"].map((action) => [action, id]),
    );
    expect(entries[1]).toMatchObject({ ...by(admin), changes: { responsible: { from: owner.id, to: admin.id } } });
    expect(JSON.stringify(entries)).not.toContain("tcs_");
  });

  it("for users whom an operator adds, and for granting and revoking a superuser", async () => {
    const { email } = await createUser(owner.organizationId, { isAccountAdmin: true });
    const entries = await trailOf();
    const q = `SELECT id FROM user WHERE email = '${email}'`;
    const { id } = (await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 })).body.records[0];
    expect(entries.at(-1)).toMatchObject({
      action: "created",
      object: "user",
      record_id: id,
      by: null,
      details: { operation: "create-user" },
      changes: { is_account_admin: { from: null, to: true }, email: { from: null, to: email } },
    });
    const operator = await addUser(owner.organizationId);
    await confirmEmail(operator);
    const grants = await during(async () => {
      for (const granted of [true, true, false]) {
        await invokeOperation("grant-superuser", { email: operator.email, granted });
      }
    });
    expect(grants.map(({ action, by }) => [action, (by as { id: string } | null)?.id])).toEqual([
      ["superuser_granted", undefined],
      ["superuser_entered", operator.id],
      ["superuser_revoked", undefined],
    ]);
    expect(grants[0]?.changes).toEqual({ is_superuser: { from: false, to: true } });
  });

  it("for no request that was refused or changed nothing", async () => {
    const first = await registerOrganization();
    const admin = await addUser(first.organizationId, { isAccountAdmin: true });
    const entries = await during(async () => {
      await http.patch(`/v1/object/user/${first.id}`, { token: admin.token, body: { is_active: false }, expect: 403 });
      await http.patch(`/v1/object/user/${first.id}`, {
        token: first.token,
        body: { is_account_owner: false },
        expect: 409,
      });
      await changeUser(admin, { is_account_admin: true, is_active: true }, first.token);
    }, first.token);
    expect(entries).toEqual([]);
  });
});

describe("the audit trail", () => {
  it("is read only by administrators, on every route that reads", async () => {
    const everything = { create: true, read: true, update: true, delete: true };
    const body = { name: "All of it", object_permissions: { audit_entry: everything, user: everything } };
    const permission = await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 });
    const member = await addUser(owner.organizationId, { permissions: [permission.body.id] });
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true, permissions: [] });
    const q = "SELECT action, `by`.name FROM audit_entry WHERE record_id IS NOT NULL LIMIT 3";
    const reads = (token: string) => [
      http.get("/v1/object/audit_entry", { token }),
      http.get("/v1/query", { token, query: { q } }),
      http.post("/v1/query/docdb", { token, body: { collection: "audit_entry", pipeline: [{ $limit: 1 }] } }),
    ];
    for (const reply of await Promise.all(reads(admin.token))) expect(reply.status).toBe(200);
    expect((await Promise.all(reads(member.token))).map(({ status }) => status)).toEqual([403, 422, 422]);
    const pipeline = [{ $lookup: { from: "audit_entry", pipeline: [], as: "trail" } }];
    const joined = await http.post("/v1/query/docdb", { token: member.token, body: { collection: "user", pipeline } });
    expect(joined.status).toBe(422);
    expect((await http.get("/v1/schema/audit_entry", { token: member.token })).status).toBe(403);
  });

  it("cannot be written by anybody, not even by an owner or a superuser", async () => {
    const [entry] = await trailOf();
    const operator = await addUser(owner.organizationId, { isSuperuser: true, isAccountAdmin: true });
    for (const { token } of [owner, operator]) {
      const path = `/v1/object/audit_entry/${entry?.id}`;
      for (const reply of [
        await http.post("/v1/object/audit_entry", { token, body: { name: "x", action: "updated", at: entry?.at } }),
        await http.patch(path, { token, body: { action: "created" } }),
        await http.patch("/v1/object/audit_entry", { token, body: { id: entry?.id, action: "created" } }),
        await http.delete(path, { token }),
        await http.delete(`/v1/object/audit_entry?ids=${entry?.id}`, { token }),
      ]) {
        expect(reply).toMatchObject({ status: 403, body: { code: "forbidden" } });
      }
    }
    expect((await trailOf())[0]).toEqual(entry);
  });

  it("is written in older organizations without the object, where nobody can read it", async () => {
    const older = await registerOrganization();
    const database = mongo.db(older.organizationId);
    await database.collection<{ _id: string }>("schemas").deleteOne({ _id: "audit_entry" });
    await database.collection("organization_state").updateOne({}, { $inc: { schema_version: 1 } });
    const body = { name: "Readers" };
    await http.post("/v1/object/permission", { token: older.token, body, expect: 201 });
    expect((await http.get("/v1/object/audit_entry", { token: older.token })).body.code).toBe("object_not_found");
    expect(await database.collection("audit_entry").findOne({ object: "permission" })).toMatchObject({
      action: "created",
    });
  });

  it("has an entry exactly for each change that happened, also with concurrent changes", async () => {
    const user = await addUser(owner.organizationId);
    const before = (await trailOf()).length;
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        http.patch(`/v1/object/user/${user.id}`, {
          token: owner.token,
          body: { is_account_admin: index % 2 === 0, first_name: `N${index}` },
        }),
      ),
    );
    expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const entries = (await trailOf()).slice(before).filter(({ record_id }) => record_id === user.id);
    const seen = entries.flatMap(({ changes }) => {
      const step = changes?.is_account_admin as { from: boolean | null; to: boolean } | undefined;
      return step === undefined ? [] : [[step.from === true, step.to]];
    });
    // Each begins where the one before ended.
    expect(seen.map(([from]) => from)).toEqual([false, ...seen.slice(0, -1).map(([, to]) => to)]);
    const { body } = await http.get(`/v1/object/user/${user.id}`, { token: owner.token });
    expect(seen.at(-1)?.[1] ?? false).toBe(body.is_account_admin === true);
  });
});

describe("two administrators who take each other's rights away at the same moment", () => {
  it("do not both succeed", async () => {
    for (let round = 0; round < 6; round += 1) {
      const options = { isAccountAdmin: true };
      const [a, b] = await Promise.all([
        addUser(owner.organizationId, options),
        addUser(owner.organizationId, options),
      ]);
      const demote = (who: User, whom: User) =>
        http.patch(`/v1/object/user/${whom.id}`, { token: who.token, body: { is_account_admin: false } });
      const replies = await Promise.all([demote(a, b), demote(b, a)]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });
});

describe("the owners are told by mail", () => {
  it("who became an owner and who is no longer one, and former owners are told too", async () => {
    const first = await registerOrganization();
    const second = await addUser(first.organizationId);
    await changeUser(second, { is_account_owner: true }, first.token);
    for (const { email } of [first, second]) {
      expect(await lastMail(email, OWNERS)).toContain(`New owners:\n- Mia Member (${second.email})`);
      expect(await lastMail(email, OWNERS)).toContain(`By: Olga Owner (${first.email})`);
      expect(await lastMail(email, OWNERS)).not.toMatch(/https?:/);
    }
    await changeUser(second, { first_name: "Mia" }, first.token);
    await changeUser(second, { is_active: false }, first.token);
    for (const { email } of [first, second]) {
      expect(await lastMail(email, OWNERS)).toContain(`Owners no longer:\n- Mia Member (${second.email})`);
      expect(await mailCount(email, OWNERS)).toBe(2);
    }
    await invokeOperation("create-user", {
      organization_id: first.organizationId,
      email: newEmail(),
      name: "Third <http://evil.example/> & more",
      password: "correct horse battery staple",
      is_account_owner: true,
    });
    expect(await lastMail(first.email, OWNERS)).toContain("- Third http evil.example more (");
  });

  it("which clients have stopped when an administrator leaves, only once", async () => {
    const first = await registerOrganization();
    const options = { isAccountAdmin: true };
    const [admin, other] = [await addUser(first.organizationId, options), await addUser(first.organizationId, options)];
    const user = await addUser(first.organizationId);
    const own = await registerApp(admin.token, { name: "Nightly import", run_as: user.id });
    const adopted = await registerApp(other.token, { name: "Adopted", run_as: user.id });
    const left = await registerApp(admin.token, { name: "Given away", run_as: user.id });
    const people = await registerApp(admin.token, { name: "For people" });
    await http.post(`/v1/auth/client/${adopted.client_id}/adopt`, { token: admin.token, expect: 200 });
    await http.post(`/v1/auth/client/${left.client_id}/adopt`, { token: other.token, expect: 200 });
    await changeUser(admin, { is_active: false }, first.token);
    const text = await lastMail(first.email, STOPPED);
    expect(text).toContain(`- Nightly import (${own.client_id})`);
    expect(text).toContain(`- Adopted (${adopted.client_id})`);
    expect(text).not.toContain(left.client_id);
    expect(text).not.toContain(people.client_id);
    await changeUser(admin, { is_account_admin: false }, first.token);
    await http.delete(`/v1/object/user/${user.id}`, { token: first.token, expect: 200 });
    expect(await mailCount(first.email, STOPPED)).toBe(1);
    await http.delete(`/v1/object/user/${other.id}`, { token: first.token, expect: 200 });
    expect(await mailCount(first.email, STOPPED)).toBe(2);
  });
});

describe("an operator of the platform", () => {
  it("causes one audit entry and one mail to the owners for each session that enters", async () => {
    const first = await registerOrganization();
    const operator = await addUser(first.organizationId, { isSuperuser: true });
    const entered = async () =>
      (await trailOf(first.token))
        .filter(({ action }) => action === "superuser_entered")
        .map(({ by_email }) => by_email);
    // Their session from the confirmation of the email is older than the right; then they signed in.
    expect(await entered()).toEqual([operator.email, operator.email]);
    expect(await mailCount(first.email, ENTERED)).toBe(2);
    expect(await lastMail(first.email, ENTERED)).toContain(operator.email);
    const body = { refresh_token: operator.refreshToken };
    const { access_token: token } = (await http.post("/v1/oauth2/refresh", { body, expect: 200 })).body;
    await http.get("/v1/object/lead", { token, expect: 200 });
    await http.post("/v1/auth/switch", { token, body: { id: first.organizationId }, expect: 200 });
    expect(await entered()).toHaveLength(2);
    expect(await mailCount(first.email, ENTERED)).toBe(2);
    await http.post("/v1/oauth2/login", {
      form: { username: operator.email, password: operator.password },
      expect: 200,
    });
    expect(await entered()).toHaveLength(3);
    expect(await mailCount(first.email, ENTERED)).toBe(3);
    expect(await mailCount(operator.email, ENTERED)).toBe(0);
  });

  it("causes an audit entry for each request, with query, count and record ids", async () => {
    const first = await registerOrganization();
    const lead = await http.post("/v1/object/lead", { token: first.token, body: { name: "Ada" }, expect: 201 });
    const { token } = await addUser(first.organizationId, { isSuperuser: true });
    const { id } = lead.body;
    const q = "SELECT id, name FROM lead WHERE name = 'Ada'";
    const pipeline = [{ $match: { name: "Ada" } }];
    const entries = await during(async () => {
      await http.get(`/v1/object/lead/${id}`, { token, expect: 200 });
      await http.get("/v1/object/lead", { token, query: { limit: 5 }, expect: 200 });
      await http.get("/v1/query", { token, query: { q }, expect: 200 });
      await http.get("/v1/query", { token, query: { q }, headers: { accept: "application/x-ndjson" }, expect: 200 });
      await http.post("/v1/query/docdb", { token, body: { collection: "lead", pipeline }, expect: 200 });
      await http.get("/v1/object/lead/nobody", { token, expect: 404 });
    }, first.token);
    expect(entries.map(({ action, as_superuser }) => [action, as_superuser])).toEqual(
      entries.map(() => ["superuser_request", true]),
    );
    const found = { status: 200, count: 1, record_ids: [id] };
    expect(entries.map(({ details }) => details)).toEqual([
      { method: "GET", route: "/v1/object/{object}/{id}", path: { object: "lead", id }, ...found },
      { method: "GET", route: "/v1/object/{object}", path: { object: "lead" }, query: "limit=5", ...found },
      { method: "GET", route: "/v1/query", path: {}, query: `q=${q}`, ...found },
      { method: "GET", route: "/v1/query", path: {}, query: `q=${q}`, ...found },
      {
        method: "POST",
        route: "/v1/query/docdb",
        path: {},
        body: JSON.stringify({ collection: "lead", pipeline }),
        ...found,
      },
      { method: "GET", route: "/v1/object/{object}/{id}", path: { object: "lead", id: "nobody" }, status: 404 },
    ]);
    expect(entries[0]).toMatchObject({ object: "lead", record_id: id });
  });

  it("causes an audit entry for each change too, without secrets and without the body", async () => {
    const first = await registerOrganization();
    const { token } = await addUser(first.organizationId, { isSuperuser: true });
    let id = "";
    let made: string | null = null;
    const entries = await during(async () => {
      const body = { name: "Mailer", provider: "x", value: { key: "very secret" } };
      const reply = await http.post("/v1/object/auth_credential", { token, body, expect: 201 });
      id = reply.body.id;
      made = reply.headers.get("x-request-id");
      await http.patch(`/v1/object/auth_credential/${id}`, { token, body: { provider: "y" }, expect: 200 });
    }, first.token);
    expect(entries.map(({ action, record_id }) => [action, record_id])).toEqual([
      ["superuser_request", null],
      ["created", id],
      ["superuser_request", id],
      ["updated", id],
    ]);
    expect(entries.slice(0, 2).map(({ request_id }) => request_id)).toEqual([made, made]);
    expect(entries[1]?.changes).toMatchObject({ provider: { from: null, to: "x" }, value: { hidden: true } });
    expect(entries[3]).toMatchObject({ as_superuser: true, changes: { provider: { from: "x", to: "y" } } });
    const stored = await mongo.db(first.organizationId).collection("audit_entry").find().toArray();
    expect(JSON.stringify(stored)).not.toContain("very secret");
  });

  it("cannot read anything if the audit entry cannot be written", async () => {
    const first = await registerOrganization();
    const { token } = await addUser(first.organizationId, { isSuperuser: true });
    const refuseAll = { $jsonSchema: { required: ["nobody_has_this"] } };
    await mongo.db(first.organizationId).command({ collMod: "audit_entry", validator: refuseAll });
    const reply = await http.get("/v1/object/user", { token });
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain(first.email);
    expect((await http.get("/v1/object/user", { token: first.token })).status).toBe(200);
    const change = { token: first.token, body: { name: "New" } };
    expect((await http.post("/v1/object/permission", change)).status).toBe(500);
    const query = { q: "SELECT id FROM permission WHERE name = 'New'" };
    expect((await http.get("/v1/query", { token: first.token, query, expect: 200 })).body.records).toEqual([]);
  });

  it("cannot fill the trail with long queries or many ids", async () => {
    const first = await registerOrganization();
    const body = Array.from({ length: 150 }, (_, index) => ({ name: `Lead ${index}` }));
    await http.post("/v1/object/lead", { token: first.token, body, expect: 201 });
    const { token } = await addUser(first.organizationId, { isSuperuser: true });
    const query = `SELECT id FROM lead WHERE name LIKE '%${"x".repeat(20_000)}%' OR name LIKE 'Lead%'`;
    const entries = await during(() => http.post("/v1/query", { token, body: { query } }), first.token);
    expect(entries.map(({ details }) => details?.body)).toEqual([expect.stringMatching(/^\{"query":"SELECT .*…$/)]);
    expect(entries[0]?.details?.body).toHaveLength(4_001);
    const [listed] = await during(() => http.get("/v1/object/lead", { token, query: { limit: 1000 } }), first.token);
    expect(listed?.details).toMatchObject({ count: 150 });
    expect(listed?.details?.record_ids).toHaveLength(100);
  });
});

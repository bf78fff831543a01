import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { addFunction, contextCall, executionOf, permissionFor, plantExecution, run } from "./functions.ts";

let owner: User;
let stranger: User;

beforeAll(async () => {
  [owner, stranger] = await Promise.all([registerOrganization(), registerOrganization()]);
});

const sql = (token: string) => contextCall(token, "query.sql", ["SELECT id FROM user"]);

const refused = async (token: string): Promise<void> => {
  const reply = await sql(token);
  expect(`${reply.status} ${reply.body.code}`).toBe("401 unauthenticated");
  expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer /);
};

describe("a capability token", () => {
  it("lets calls in while its execution runs, and finds its own organization alone", async () => {
    const { token } = await plantExecution(owner);
    const { body } = await sql(token);
    expect(body).toEqual({ result: [{ id: owner.id }] });
  });

  it("is refused if any part of it is changed", async () => {
    const { token } = await plantExecution(owner);
    const other = await plantExecution(owner);
    const [organization, execution, secret] = token.split(".") as [string, string, string];
    await refused(`${stranger.organizationId}.${execution}.${secret}`);
    await refused(`${organization}.${other.id}.${secret}`);
    await refused(`${organization}.${crypto.randomUUID()}.${secret}`);
    await refused(`${organization}.${execution}.${randomBytes(32).toString("base64url")}`);
    await refused(`${organization}.${execution}.${secret.slice(0, -1)}`);
    await refused(`${organization}.${execution}.`);
    await refused(`base.${execution}.${secret}`);
    await refused(`admin.${execution}.${secret}`);
    await refused(`org_0000000000000000.${execution}.${secret}`);
    await refused(`${token}.${secret}`);
    await refused(owner.token);
  });

  it("is refused after the deadline of its execution, and after its end", async () => {
    await refused((await plantExecution(owner, { deadline: new Date(Date.now() - 6_000) })).token);
    await refused((await plantExecution(owner, { status: "completed" })).token);
    await refused((await plantExecution(owner, { root: crypto.randomUUID() })).token);
  });

  it("is refused after the job has failed its execution, which then has a log record", async () => {
    const past = new Date(Date.now() - 1_000);
    const { id, token } = await plantExecution(owner, { lease_until: past });
    // The mark, by which the job finds the organization.
    await run(owner, await addFunction(owner, "return 1"));
    await invokeOperation("reconcile-executions", {});
    await refused(token);
    const { body } = await http.get(`/v1/automation/executions/${id}`, { token: owner.token, expect: 200 });
    expect(body).toMatchObject({ status: "failed", error: { kind: "interrupted" } });
    expect(await sql((await plantExecution(owner)).token)).toMatchObject({ status: 200 });
  });

  it("is never shown to the code, its log or its result", async () => {
    const code =
      "import json\nreturn [json.dumps(platform.user), json.dumps(kwargs), repr(platform), str(platform.records)]";
    const reply = await run(owner, await addFunction(owner, code));
    const log = await http.get(`/v1/object/log/${executionOf(reply)}`, { token: owner.token, expect: 200 });
    for (const text of [reply.text, log.text]) expect(text).not.toMatch(/org_[a-z0-9]+\.[0-9a-f-]{36}\./);
  });

  it("gives no right on any other route", async () => {
    const { token } = await plantExecution(owner);
    expect((await http.get("/v1/object/lead", { token })).status).toBe(401);
    expect((await http.post("/v1/automation/function", { token, body: { function_name: "a.py" } })).status).toBe(401);
  });

  it("gives the rights that its user has at the moment of the call", async () => {
    const permission = await permissionFor(owner, { lead: { read: true } });
    const member = await addUser(owner.organizationId, { permissions: [permission] });
    const { token } = await plantExecution(member);
    const leads = () => contextCall(token, "query.sql", ["SELECT id FROM lead"]);
    const change = (path: string, body: object) =>
      http.patch(`/v1/object/${path}`, { token: owner.token, body, expect: 200 });
    expect((await leads()).status).toBe(200);
    await change(`permission/${permission}`, { object_permissions: {} });
    expect((await leads()).body.code).toBe("validation_failed");
    await change(`permission/${permission}`, { object_permissions: { lead: { read: true } } });
    expect((await leads()).status).toBe(200);
    await change(`user/${member.id}`, { is_active: false });
    expect((await leads()).body.code).toBe("forbidden");
    await change(`user/${member.id}`, { is_active: true });
    // It began before the user was activated again.
    expect((await leads()).body.code).toBe("forbidden");
  });

  it("gives an app no more than its scopes", async () => {
    const { token } = await plantExecution(owner, { client_id: "app", scope: "read" });
    expect((await sql(token)).status).toBe(200);
    expect((await contextCall(token, "records.create", ["lead", { name: "x" }])).body.code).toBe("insufficient_scope");
    const writer = await plantExecution(owner, { client_id: "app", scope: "write" });
    expect((await sql(writer.token)).body.code).toBe("insufficient_scope");
    expect((await contextCall(writer.token, "records.create", ["lead", { name: "x" }])).status).toBe(200);
    const role = await contextCall(writer.token, "records.create", ["role", { name: "x" }]);
    expect(role.body.code).toBe("forbidden");
  });

  it("gives an app that acts alone nothing without its responsible administrator", async () => {
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    const { token } = await plantExecution(owner, { client_id: "app", responsible: admin.id });
    expect((await sql(token)).status).toBe(200);
    const body = { is_account_admin: false };
    await http.patch(`/v1/object/user/${admin.id}`, { token: owner.token, body, expect: 200 });
    expect((await sql(token)).body.code).toBe("forbidden");
  });
});

describe("a context call", () => {
  it("is refused if it is none", async () => {
    const { token } = await plantExecution(owner);
    const send = (body: unknown) => http.post("/v1/internal/context", { token, body });
    for (const body of [{}, [], { method: 7 }, { method: "x", args: {} }, { method: "query.sql", more: 1 }]) {
      expect((await send(body)).status).toBe(422);
    }
    for (const method of [
      "records",
      "records.read",
      "constructor",
      "__proto__.x",
      "records.constructor",
      "log",
      "x.y",
    ]) {
      const reply = await contextCall(token, method);
      expect(`${method}: ${reply.body.detail[0]?.type}`).toBe(`${method}: unknown_method`);
    }
  });

  it("counts against the limit of the whole chain", async () => {
    const root = await plantExecution(owner, { calls: 998 });
    const nested = await plantExecution(owner, { root: root.id, depth: 2 });
    expect((await sql(root.token)).status).toBe(200);
    expect((await sql(nested.token)).status).toBe(200);
    for (const { token } of [root, nested]) {
      const reply = await sql(token);
      expect(`${reply.status} ${reply.body.code}`).toBe("400 too_many_calls");
    }
  });
});

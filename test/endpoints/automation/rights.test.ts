import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { addFunction, leadsNamed, permissionFor, run, UNTIL_REFUSED } from "./functions.ts";

let owner: User;
/** Sees their own leads alone, without amounts. */
let member: User;

const all = { create: true, read: true, update: true, delete: true };

beforeAll(async () => {
  owner = await registerOrganization();
  const permission = await permissionFor(
    owner,
    { function: { read: true }, lead: all, log: { read: true } },
    { lead: { amount: { read: false, update: false } } },
  );
  member = await addUser(owner.organizationId, { permissions: [permission] });
  const role = (
    await http.post("/v1/object/role", {
      token: owner.token,
      body: { name: "Own rows", view_access: "personal" },
      expect: 201,
    })
  ).body.id;
  await http.patch(`/v1/object/user/${member.id}`, { token: owner.token, body: { role }, expect: 200 });
  const leads = [
    { name: "Of the owner", amount: 100 },
    { name: "Of the member", amount: 200, owner: { id: member.id } },
  ];
  await http.post("/v1/object/lead", { token: owner.token, body: leads, expect: 201 });
});

const caught = (call: string): string =>
  `try:\n    return await ${call}\nexcept PlatformError as error:\n    return error.code`;

const runAs = async (user: User, body: string, inputs = {}): Promise<unknown> =>
  (await run(user, await addFunction(owner, body), inputs)).body;

describe("a function that an administrator wrote", () => {
  const names = "return [r['name'] for r in await platform.query.sql('SELECT name FROM lead ORDER BY name')]";

  it("sees the rows of the user in whose name it runs", async () => {
    expect(await runAs(owner, names)).toEqual(["Of the member", "Of the owner"]);
    expect(await runAs(member, names)).toEqual(["Of the member"]);
    const piped = "return [r['name'] for r in await platform.query.docdb('lead', {})]";
    expect(await runAs(member, piped)).toEqual(["Of the member"]);
  });

  it("sees and writes the fields that this user may", async () => {
    expect(await runAs(member, caught("platform.query.sql('SELECT amount FROM lead')"))).toBe("validation_failed");
    const create = "platform.records.create('lead', {'name': 'x', 'amount': 1})";
    expect(await runAs(member, caught(create))).toMatch(/forbidden|validation_failed/);
    const own = "return await platform.records.create('lead', {'name': 'Mine'})";
    const created = await runAs(member, own);
    expect(created).toMatchObject({ name: "Mine", owner: { id: member.id } });
    expect(created).not.toHaveProperty("amount");
  });

  it("changes no record that this user does not see", async () => {
    const { records } = (
      await http.get("/v1/query", {
        token: owner.token,
        query: { q: "SELECT id FROM lead WHERE name = 'Of the owner'" },
        expect: 200,
      })
    ).body;
    const [{ id }] = records;
    expect(await runAs(member, caught(`platform.records.update('lead', '${id}', {'name': 'taken'})`))).toBe(
      "record_not_found",
    );
    expect(await runAs(member, caught(`platform.records.delete('lead', '${id}')`))).toBe("record_not_found");
  });

  it("cannot give this user more rights, and reads no secrets", async () => {
    const grant = `platform.records.update('user', '${member.id}', {'is_account_admin': True})`;
    expect(await runAs(member, caught(grant))).toBe("forbidden");
    expect(await runAs(member, caught("platform.records.create('role', {'name': 'x'})"))).toBe("forbidden");
    expect(await runAs(member, caught("platform.metadata.get_config('x')"))).toBe("forbidden");
    for (const field of ["password_hash", "totp_secret"]) {
      expect(await runAs(owner, caught(`platform.query.sql('SELECT ${field} FROM user')`))).toBe("validation_failed");
    }
    for (const name of ["function_execution", "function_slot", "organization_state", "admitted_session"]) {
      expect(await runAs(owner, caught(`platform.query.docdb('${name}', {})`))).not.toEqual(expect.any(Array));
      expect(await runAs(owner, caught(`platform.query.sql('SELECT * FROM ${name}')`))).toBe("validation_failed");
    }
  });

  it("loses rights that are taken away while it runs", async () => {
    const permission = await permissionFor(owner, { function: { read: true }, lead: all });
    const user = await addUser(owner.organizationId, { permissions: [permission] });
    const running = runAs(
      user,
      `await platform.records.create('lead', {'name': 'Begun'})\n${UNTIL_REFUSED}return refused`,
    );
    await expect.poll(() => leadsNamed(owner, "Begun")).toBe(1);
    const body = { object_permissions: {} };
    await http.patch(`/v1/object/permission/${permission}`, { token: owner.token, body, expect: 200 });
    expect(await running).toBe("validation_failed");
  });
});

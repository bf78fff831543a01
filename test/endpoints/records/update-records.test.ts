import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let admin: User;
let member: User;
let ids: string[];

beforeAll(async () => {
  owner = await registerOrganization();
  [admin, member] = await Promise.all([
    addUser(owner.organizationId, { isAccountAdmin: true }),
    addUser(owner.organizationId),
  ]);
});

beforeEach(async () => {
  const body = ["A", "B"].map((name) => ({ name, email: `${name}@example.com`, amount: 1 }));
  const created = await http.post("/v1/object/lead", { token: owner.token, body, expect: 201 });
  ids = created.body.map((lead: { id: string }) => lead.id);
});

const change = (object: string, body: unknown, options: { token?: string; expect?: number } = {}) =>
  http.patch(`/v1/object/${object}`, { token: owner.token, body, ...options });

const read = async (object: string, id: string | undefined) =>
  (await http.get(`/v1/object/${object}/${id}`, { token: owner.token, expect: 200 })).body;

describe("update of records: 200", () => {
  it("changes only the fields that are sent, and stores who and when", async () => {
    const { body } = await change("lead", { id: ids[0], amount: 2 }, { token: member.token, expect: 200 });
    expect(body).toMatchObject({
      id: ids[0],
      name: "A",
      amount: 2,
      modified_by: { id: member.id },
      created_by: { id: owner.id },
    });
    expect(body.modified_date > body.created_date).toBe(true);
    expect(await read("lead", ids[0])).toEqual(body);
  });

  it("removes a value with null", async () => {
    const { body } = await change("lead", [{ id: ids[0], email: null }], { expect: 200 });
    expect(body[0].email).toBeNull();
    expect((await read("lead", ids[0])).email).toBeNull();
  });

  it("changes many records, in the order of the request", async () => {
    const { body } = await change(
      "lead",
      [...ids].reverse().map((id) => ({ id, status: "Working" })),
      { expect: 200 },
    );
    expect(body.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual(
      [...ids].reverse().map((id) => [id, "Working"]),
    );
  });

  it("keeps all changes when concurrent requests change different fields of one record", async () => {
    const fields = {
      name: "New",
      email: "new@example.com",
      phone: "+14155550100",
      amount: 7,
      status: "Won",
      source: "Web",
    };
    await Promise.all(
      Object.entries(fields).map(([field, value]) => change("lead", { id: ids[0], [field]: value }, { expect: 200 })),
    );
    expect(await read("lead", ids[0])).toMatchObject(fields);
  });

  it("refuses to swap unique values, but lets a record keep its own", async () => {
    const body = [1, 2].map((n) => ({
      name: "t",
      file_name: `keep-${n}-${ids[0]}.py`,
      code: "async def execute(platform, **kwargs):\n    return None",
    }));
    const [first, second] = (await http.post("/v1/object/function", { token: owner.token, body, expect: 201 })).body;
    await change("function", { id: first.id, file_name: first.file_name }, { expect: 200 });
    await change("function", { id: first.id, file_name: second.file_name }, { expect: 409 });
  });
});

describe("update of records: 200 with too large a reply", () => {
  it("changes all records, and gives the last ones by their ids alone", async () => {
    const long = "x".repeat(250_000);
    const notes: { id: string }[] = [];
    for (let round = 0; round < 7; round += 1) {
      const body = Array.from({ length: 3 }, () => ({ name: "Long", body: long }));
      notes.push(...(await http.post("/v1/object/note", { token: owner.token, body, expect: 201 })).body);
    }
    const reply = await change(
      "note",
      notes.map(({ id }) => ({ id, name: "Short" })),
      { expect: 200 },
    );
    expect(reply.headers.get("x-truncated")).toBe("true");
    expect(reply.body.map(({ id }: { id: string }) => id)).toEqual(notes.map(({ id }) => id));
    expect(reply.body.at(0).name).toBe("Short");
    expect(reply.body.at(-1)).toEqual({ id: notes.at(-1)?.id });
    expect((await read("note", notes.at(-1)?.id)).name).toBe("Short");
  });
});

describe("update of users: 200", () => {
  it("takes effect from the next request on: a permission given and taken, a user deactivated and activated", async () => {
    const user = await addUser(owner.organizationId, { permissions: [] });
    const see = async () => (await http.get("/v1/object/lead", { token: user.token })).status;
    expect(await see()).toBe(403);
    const rights = { name: "See leads", object_permissions: { lead: { read: true } } };
    const { id } = (await http.post("/v1/object/permission", { token: admin.token, body: rights, expect: 201 })).body;
    await change("user", { id: user.id, permissions: [id] }, { token: admin.token, expect: 200 });
    expect(await see()).toBe(200);
    await change("permission", { id, object_permissions: {} }, { token: admin.token, expect: 200 });
    expect(await see()).toBe(403);
    await change("user", { id: user.id, is_active: false }, { token: admin.token, expect: 200 });
    expect(await see()).toBe(401);
  });
});

describe("update of records: 403", () => {
  it.each(["is_superuser", "is_account_owner", "organizations", "organization_id", "password_hash", "totp_secret"])(
    "for an admin who sets %s of a user",
    async (field) => {
      const { body } = await change("user", { id: member.id, [field]: true }, { token: admin.token, expect: 403 });
      expect(body.detail).toContain(field);
    },
  );

  it("for an admin who changes the rights of an owner", async () => {
    for (const changes of [{ is_active: false }, { is_account_admin: false }, { permissions: [] }]) {
      await change("user", { id: owner.id, ...changes }, { token: admin.token, expect: 403 });
    }
    await change("user", { id: owner.id, first_name: "Olga" }, { token: admin.token, expect: 200 });
  });

  it("for a member who raises their own rights by any permission", async () => {
    const all = { create: true, read: true, update: true, delete: true };
    const rights = {
      name: "All",
      object_permissions: { user: all, permission: all, role: all, function: all, log: all },
    };
    const { id } = (await http.post("/v1/object/permission", { token: owner.token, body: rights, expect: 201 })).body;
    const climber = await addUser(owner.organizationId, { permissions: [id] });
    for (const changes of [
      { is_account_admin: true },
      { permissions: [] },
      { role: null },
      { is_active: true },
      { is_account_owner: true },
    ]) {
      await change("user", { id: climber.id, ...changes }, { token: climber.token, expect: 403 });
    }
    await change("permission", { id, name: "More" }, { token: climber.token, expect: 403 });
    await change("user", { id: climber.id, first_name: "Cleo" }, { token: climber.token, expect: 200 });
  });
});

describe("update of records: 404", () => {
  it("for a missing record, and nothing is written", async () => {
    const { body } = await change(
      "lead",
      [
        { id: ids[0], name: "Changed" },
        { id: "nowhere", name: "x" },
      ],
      { expect: 404 },
    );
    expect(body).toMatchObject({ code: "record_not_found", detail: expect.stringContaining("nowhere") });
    expect((await read("lead", ids[0])).name).toBe("A");
  });
});

describe("update of records: 409", () => {
  it("for the last owner, demoted or deactivated", async () => {
    const alone = await registerOrganization();
    for (const changes of [{ is_account_owner: false }, { is_active: false }]) {
      const { body } = await change("user", { id: alone.id, ...changes }, { token: alone.token, expect: 409 });
      expect(body.code).toBe("last_owner");
    }
  });

  it("for one of two owners who demote each other concurrently", async () => {
    const first = await registerOrganization();
    const second = await addUser(first.organizationId);
    await change("user", { id: second.id, is_account_owner: true }, { token: first.token, expect: 200 });
    const replies = await Promise.all([
      change("user", { id: second.id, is_account_owner: false }, { token: first.token }),
      change("user", { id: first.id, is_account_owner: false }, { token: second.token }),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([
      200,
      expect.toSatisfy((s: number) => s === 409 || s === 403),
    ]);
  });
});

describe("update of records: 422", () => {
  it("with all issues, and nothing written", async () => {
    const batch = [
      { id: ids[0], name: "Changed" },
      { id: ids[0], name: null, modified_date: "2020-01-01T00:00:00Z" },
      { name: "Without an id" },
      { id: ids[1], email: "no", owner: null },
    ];
    const { body } = await change("lead", batch, { expect: 422 });
    expect(body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => [loc.join("."), type])).toEqual([
      ["body.1.id", "duplicate"],
      ["body.1.name", "missing"],
      ["body.1.modified_date", "read_only"],
      ["body.2.id", "missing"],
      ["body.3.email", "email_format"],
      ["body.3.owner", "missing"],
    ]);
    expect((await read("lead", ids[0])).name).toBe("A");
  });

  it("for a record that becomes too large by several changes", async () => {
    const { body } = await http.post("/v1/object/question", { token: owner.token, body: { name: "Q" }, expect: 201 });
    const long = "é".repeat(250_000);
    await change("question", { id: body.id, message: long }, { expect: 200 });
    await change("question", { id: body.id, answer: long }, { expect: 200 });
    const refused = await change("question", { id: body.id, data: { long: "x".repeat(200_000) } }, { expect: 422 });
    expect(refused.body.detail[0].type).toBe("record_too_large");
  });
});

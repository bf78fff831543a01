import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let ids: string[];

beforeAll(async () => {
  owner = await registerOrganization();
});

beforeEach(async () => {
  const body = ["A", "B", "C"].map((name) => ({ name }));
  const created = await http.post("/v1/object/lead", { token: owner.token, body, expect: 201 });
  ids = created.body.map((lead: { id: string }) => lead.id);
});

const remove = (object: string, wanted: string[] | string, expected: number, token = owner.token) =>
  http.delete(`/v1/object/${object}`, { token, query: { ids: wanted }, expect: expected });

const left = async (): Promise<number> => {
  const all = await http.get("/v1/object/lead", { token: owner.token, query: { limit: 1000 }, expect: 200 });
  return all.body.filter((lead: { id: string }) => ids.includes(lead.id)).length;
};

describe("DELETE /v1/object/{object}: 200", () => {
  it("deletes one or several records, and gives each id once", async () => {
    const [first = "", ...rest] = ids;
    expect((await remove("lead", first, 200)).body).toEqual({ deleted: [first] });
    expect((await remove("lead", [...rest, ...rest], 200)).body).toEqual({ deleted: rest });
    expect(await left()).toBe(0);
  });

  it("takes away the rights of a deleted permission at once", async () => {
    const rights = { name: "See leads", object_permissions: { lead: { read: true } } };
    const { id } = (await http.post("/v1/object/permission", { token: owner.token, body: rights, expect: 201 })).body;
    const user = await addUser(owner.organizationId, { permissions: [id] });
    await http.get("/v1/object/lead", { token: user.token, expect: 200 });
    await remove("permission", id, 200);
    await http.get("/v1/object/lead", { token: user.token, expect: 403 });
  });
});

describe("DELETE /v1/object/{object}: 403", () => {
  it("without the permission", async () => {
    const nobody = await addUser(owner.organizationId, { permissions: [] });
    await remove("lead", ids, 403, nobody.token);
    expect(await left()).toBe(3);
  });
});

describe("DELETE /v1/object/{object}: 404", () => {
  it("for a missing record, and none is deleted", async () => {
    const { body } = await remove("lead", [...ids, "nowhere"], 404);
    expect(body).toMatchObject({ code: "record_not_found", detail: expect.stringContaining("nowhere") });
    expect(await left()).toBe(3);
  });
});

describe("DELETE /v1/object/{object}: 409", () => {
  it("for a batch with the last owner, of which none is deleted", async () => {
    const member = await addUser(owner.organizationId);
    await remove("user", [member.id, owner.id], 409);
    await http.get(`/v1/object/user/${member.id}`, { token: owner.token, expect: 200 });
  });
});

describe("DELETE /v1/object/{object}: 422", () => {
  it("without any id, and with more than 500", async () => {
    await http.delete("/v1/object/lead", { token: owner.token, expect: 422 });
    const many = Array.from({ length: 501 }, (_, index) => String(index));
    const { body } = await remove("lead", many, 422);
    expect(body.detail[0].loc).toEqual(["query", "ids"]);
  });
});

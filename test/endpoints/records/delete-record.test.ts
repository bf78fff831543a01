import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let member: User;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});

const newLead = async (): Promise<string> =>
  (await http.post("/v1/object/lead", { token: owner.token, body: { name: "x" }, expect: 201 })).body.id;

const remove = (path: string, token: string, expected: number) =>
  http.delete(`/v1/object/${path}`, { token, expect: expected });

describe("DELETE /v1/object/{object}/{id}: 200", () => {
  it("deletes the record", async () => {
    const id = await newLead();
    expect((await remove(`lead/${id}`, member.token, 200)).body).toEqual({ deleted: [id] });
    await http.get(`/v1/object/lead/${id}`, { token: owner.token, expect: 404 });
    await remove(`lead/${id}`, member.token, 404);
  });

  it("ends a deleted user's access at once", async () => {
    const user = await addUser(owner.organizationId);
    await http.get("/v1/object/lead", { token: user.token, expect: 200 });
    await remove(`user/${user.id}`, owner.token, 200);
    await http.get("/v1/object/lead", { token: user.token, expect: 401 });
  });
});

describe("DELETE /v1/object/{object}/{id}: 403", () => {
  it("without the permission, for users as a member, and for owners as an admin", async () => {
    const nobody = await addUser(owner.organizationId, { permissions: [] });
    await remove(`lead/${await newLead()}`, nobody.token, 403);
    await remove(`user/${nobody.id}`, member.token, 403);
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    await remove(`user/${owner.id}`, admin.token, 403);
  });
});

describe("DELETE /v1/object/{object}/{id}: 404", () => {
  it("for an unknown object and for another organization's record", async () => {
    const id = await newLead();
    await remove(`nothing/${id}`, owner.token, 404);
    const stranger = await registerOrganization();
    await remove(`lead/${id}`, stranger.token, 404);
    await http.get(`/v1/object/lead/${id}`, { token: owner.token, expect: 200 });
  });
});

describe("DELETE /v1/object/{object}/{id}: 409", () => {
  it("for the last owner", async () => {
    const { body } = await remove(`user/${owner.id}`, owner.token, 409);
    expect(body.code).toBe("last_owner");
  });
});

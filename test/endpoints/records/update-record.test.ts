import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let id: string;

beforeAll(async () => {
  owner = await registerOrganization();
  const created = await http.post("/v1/object/lead", { token: owner.token, body: { name: "Ada" }, expect: 201 });
  id = created.body.id;
});

const change = (path: string, body: unknown, expected: number, token = owner.token) =>
  http.patch(`/v1/object/${path}`, { token, body, expect: expected });

describe("PATCH of one record: 200", () => {
  it("gives the changed record", async () => {
    const { body } = await change(`lead/${id}`, { status: "Working", name: "Ada King" }, 200);
    expect(body).toMatchObject({ id, name: "Ada King", status: "Working" });
  });

  it("changes what an admin may change of the organization", async () => {
    const { body } = await change(
      `organization/${owner.organizationId}`,
      { country: "NO", settings: { theme: "dark" } },
      200,
    );
    expect(body).toMatchObject({ country: "NO", settings: { theme: "dark" } });
  });
});

describe("PATCH of one record: 403", () => {
  it("for fields of the organization that only the platform sets, and for members", async () => {
    for (const field of ["name", "status", "is_sandbox", "billing", "parent_organization_id"]) {
      await change(`organization/${owner.organizationId}`, { [field]: "x" }, 403);
    }
    const member = await addUser(owner.organizationId);
    await change(`organization/${owner.organizationId}`, { country: "SE" }, 403, member.token);
  });

  it("for a field that the member's permission excludes", async () => {
    const permission = {
      name: "No amounts",
      object_permissions: { lead: { read: true, update: true } },
      object_field_permissions: { lead: { amount: { update: false } } },
    };
    const created = await http.post("/v1/object/permission", { token: owner.token, body: permission, expect: 201 });
    const member = await addUser(owner.organizationId, { permissions: [created.body.id] });
    await change(`lead/${id}`, { name: "Ada" }, 200, member.token);
    const { body } = await change(`lead/${id}`, { name: "Ada", amount: 5 }, 403, member.token);
    expect(body.detail).toContain('"amount"');
  });
});

describe("PATCH of one record: 404", () => {
  it("for an unknown object, an unknown record and another organization's", async () => {
    await change(`nothing/${id}`, {}, 404);
    await change("lead/nowhere", { name: "x" }, 404);
    const stranger = await registerOrganization();
    await change(`lead/${id}`, { name: "Mine now" }, 404, stranger.token);
  });
});

describe("PATCH of one record: 422", () => {
  it("for system fields including the id, and for a body that is no record", async () => {
    const { body } = await change(`lead/${id}`, { id, created_by: owner.id, name: "" }, 422);
    expect(body.detail.map(({ type }: { type: string }) => type)).toEqual(["read_only", "read_only", "missing"]);
    await change(`lead/${id}`, [{ name: "x" }], 422);
    await change(`lead/${id}`, undefined, 422);
  });
});

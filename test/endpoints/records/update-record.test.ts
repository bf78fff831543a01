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

describe("a field that the caller may neither read nor write", () => {
  it("is unknown, as one that does not exist, when it is changed and when it is required", async () => {
    const { token } = owner;
    const fields = [{ api_name: "margin", name: "Margin", type: "number", required: true }];
    await http.post("/v1/schema", { token, body: { name: "Bargain", fields }, expect: 201 });
    const bargain = await http.post("/v1/object/bargain", { token, body: { name: "x", margin: 1 }, expect: 201 });
    const permission = {
      name: "No margins",
      object_permissions: { bargain: { create: true, read: true, update: true } },
      object_field_permissions: { bargain: { margin: { read: false, update: false } } },
    };
    const { body } = await http.post("/v1/object/permission", { token, body: permission, expect: 201 });
    const member = await addUser(owner.organizationId, { permissions: [body.id] });
    const refusals = ["margin", "nothing"].map(async (field) => {
      const refused = await change(`bargain/${bargain.body.id}`, { [field]: 1 }, 422, member.token);
      return JSON.stringify(refused.body.detail).replaceAll(field, "…");
    });
    const [hidden, missing] = await Promise.all(refusals);
    expect(hidden).toBe(missing);
    const created = await http.post("/v1/object/bargain", { token: member.token, body: { name: "x" }, expect: 422 });
    expect(created.body.detail).toMatchObject([{ loc: ["body"], type: "missing" }]);
    expect(created.text).not.toContain("margin");
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

import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

describe("GET /v1/schema: 200", () => {
  it("describes every standard object to an admin, by api_name", async () => {
    const { body } = await http.get("/v1/schema", { token: owner.token, expect: 200 });
    expect(Object.keys(body)).toHaveLength(30);
    for (const [name, schema] of Object.entries<{ api_name: string; custom: boolean; properties: object }>(body)) {
      expect(schema).toMatchObject({ api_name: name, custom: false });
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(["id", "created_date", "owner", "name"]));
    }
    expect(body.lead.properties.company).toMatchObject({ format: "lookup", schema: "company" });
    expect(body.organization.properties).not.toHaveProperty("billing");
  });

  it("shows a member only the objects and fields of their permissions", async () => {
    const permission = {
      name: "Leads",
      object_permissions: { lead: { read: true }, contact: { create: true } },
      object_field_permissions: { lead: { amount: { read: false } } },
    };
    const { id } = (await http.post("/v1/object/permission", { token: owner.token, body: permission, expect: 201 }))
      .body;
    const member = await addUser(owner.organizationId, { permissions: [id] });
    const { body } = await http.get("/v1/schema", { token: member.token, expect: 200 });
    expect(Object.keys(body)).toEqual(["lead"]);
    expect(body.lead.properties).not.toHaveProperty("amount");
    expect(body.lead.properties).toHaveProperty("status");
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

describe("GET /v1/schema: 200", () => {
  it("describes every standard object to an admin, by api_name", async () => {
    const { body } = await http.get("/v1/schema", { token: owner.token, expect: 200 });
    expect(Object.keys(body)).toHaveLength(34);
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

describe("a large model", () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padStart(250, "x"));
  const picklist = (name: string, count: number) => ({ name, type: "string", format: "enum", values: values(count) });

  it("is listed in parts that fit into a reply, and an object that would be larger than a part is refused", async () => {
    const { token } = await registerOrganization();
    const fields = [picklist("First", 1_000), picklist("Second", 800)];
    for (let index = 10; index < 22; index += 1) {
      await http.post("/v1/schema", { token, body: { name: `Big ${index}`, fields }, expect: 201 });
    }
    const tooMany = { object_id: "big_10", ...picklist("Third", 500) };
    const { body } = await http.post("/v1/schema/field", { token, body: tooMany, expect: 422 });
    expect(body.detail).toMatchObject([{ loc: ["body"], type: "model_too_large" }]);
    const whole = { name: "Whole", fields: [...fields, picklist("Third", 500)] };
    await http.post("/v1/schema", { token, body: whole, expect: 422 });
    await http.get("/v1/schema/whole", { token, expect: 404 });

    const first = await http.get("/v1/schema", { token, expect: 200 });
    expect(first.headers.get("x-truncated")).toBe("true");
    const after = Object.keys(first.body).at(-1) ?? "";
    expect(first.headers.get("link")).toContain(`/v1/schema?after=${after}>; rel="next"`);
    const second = await http.get("/v1/schema", { token, query: { after }, expect: 200 });
    expect(second.headers.get("x-truncated")).toBeNull();
    const names = [...Object.keys(first.body), ...Object.keys(second.body)];
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toHaveLength(46);
  });
});

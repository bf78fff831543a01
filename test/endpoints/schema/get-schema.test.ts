import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const get = (object: string, expected: number, token = owner.token) =>
  http.get(`/v1/schema/${object}`, { token, expect: expected });

describe("GET /v1/schema/{object}: 200", () => {
  it("describes one object by its api_name in any letter case, or by its id", async () => {
    const { body } = await get("lead", 200);
    expect(body).toMatchObject({ api_name: "lead", custom: false, required: ["name"] });
    for (const object of ["LEAD", body.id]) expect((await get(object, 200)).body).toEqual(body);
  });

  it("describes an object as soon as it was created", async () => {
    await get("project", 404);
    const fields = [{ name: "Name", api_name: "name", type: "string", required: true }];
    const body = { name: "Project", fields };
    const { body: project } = await http.post("/v1/schema", { token: owner.token, body, expect: 201 });
    expect((await get("project", 200)).body.custom).toBe(true);
    expect((await get(project.id, 200)).body.api_name).toBe("project");
    await http.post("/v1/object/Project", { token: owner.token, body: { name: "Apollo" }, expect: 201 });
    await http.post("/v1/object/project", { token: owner.token, body: {}, expect: 422 });
  });
});

describe("GET /v1/schema/{object}: 403", () => {
  it("for an object that the caller may not read", async () => {
    const nobody = await addUser(owner.organizationId, { permissions: [] });
    expect((await get("lead", 403, nobody.token)).body.code).toBe("forbidden");
  });
});

describe("GET /v1/schema/{object}: 404", () => {
  it("for an object that the organization does not have", async () => {
    for (const object of ["nothing", "schemas", "organization_state"]) {
      expect((await get(object, 404)).body.code).toBe("object_not_found");
    }
  });
});

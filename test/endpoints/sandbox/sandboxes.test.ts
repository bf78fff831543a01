import { describe, expect, test } from "vitest";
import { http, registerOrganization } from "../../platform.ts";

describe("a sandbox", () => {
  test("is created, listed, refreshed and deleted", async () => {
    const owner = await registerOrganization("Acme");
    const { token } = owner;
    const created = await http.post("/v1/sandbox", { token, body: { name: "staging", description: "For **tests**" } });
    expect(created.body).toMatchObject({
      status: "active",
      name: "Acme (Sandbox: staging)",
      sandbox_name: "staging",
      is_sandbox: true,
      parent_organization_id: owner.organizationId,
      description: "For **tests**",
      users: 1,
      failure: null,
    });
    expect(created.status).toBe(201);
    const { body: list } = await http.get("/v1/sandbox", { token, expect: 200 });
    expect(list).toEqual([created.body]);
    const { body: loaded } = await http.get("/v1/auth/load", { token, expect: 200 });
    expect(loaded.organizations).toEqual([
      { id: owner.organizationId, name: "Acme" },
      { id: created.body.id, name: "Acme (Sandbox: staging)", description: "For **tests**" },
    ]);
    const { body: inside } = await http.post("/v1/auth/switch", { token, body: { id: created.body.id }, expect: 200 });
    const sandboxToken = inside.access_token;
    await http.post("/v1/object/lead", { token: sandboxToken, body: { name: "Only here" }, expect: 201 });
    const { body: none } = await http.get("/v1/sandbox/staging/diff", { token, expect: 200 });
    expect(none).toEqual({ sandbox_name: "staging", identical: true, kinds: {} });
    const refreshed = await http.post("/v1/sandbox/staging/refresh", { token, body: {} });
    expect(refreshed.body).toMatchObject({ status: "active", description: "For **tests**" });
    const { body: leads } = await http.get("/v1/object/lead", { token: sandboxToken, expect: 200 });
    expect(leads).toEqual([]);
    const { body: deleted } = await http.delete("/v1/sandbox/staging", { token, expect: 200 });
    expect(deleted.detail).toBe('The sandbox "staging" has been deleted.');
    await http.get("/v1/object/lead", { token: sandboxToken, expect: 401 });
  });
});

import { describe, expect, test } from "vitest";
import { http, registerOrganization } from "../../platform.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

const steps = sandboxSteps(http);

describe("a sandbox", () => {
  test("is created, used, compared, refreshed and deleted", async () => {
    const owner = await registerOrganization("Acme");
    const { token } = owner;
    const description = "For **tests**";
    const created = await steps.create(token, "staging", { description });
    expect(created).toMatchObject({
      status: "active",
      name: "Acme (Sandbox: staging)",
      sandbox_name: "staging",
      is_sandbox: true,
      parent_organization_id: owner.organizationId,
      description,
      progress: { step: "done", done: 17, total: 17 },
      users: 1,
      failure: null,
    });
    const { body: list } = await http.get("/v1/sandbox", { token, expect: 200 });
    expect(list).toEqual([created]);
    const { body: loaded } = await http.get("/v1/auth/load", { token, expect: 200 });
    expect(loaded.organizations).toEqual([
      { id: owner.organizationId, name: "Acme" },
      { id: created.id, name: "Acme (Sandbox: staging)", description },
    ]);
    const inside = await steps.enter(token, created.id);
    const { body: mine } = await http.get("/v1/auth/load", { token: inside, expect: 200 });
    expect(mine.organization).toMatchObject({ is_sandbox: true, created_date: list[0].created_date });
    await http.post("/v1/object/lead", { token: inside, body: { name: "Only here" }, expect: 201 });
    await http.post("/v1/schema", { token: inside, body: { name: "Machine" }, expect: 201 });
    const field = { object_id: "lead", name: "Score", type: "number" };
    await http.post("/v1/schema/field", { token: inside, body: field, expect: 200 });
    const permissions = (await http.get("/v1/object/permission", { token: inside, expect: 200 })).body;
    await http.delete(`/v1/object/permission/${permissions[0].id}`, { token: inside, expect: 200 });
    const { body: diff } = await http.get("/v1/sandbox/staging/diff", { token, expect: 200 });
    expect(diff).toEqual({
      sandbox_name: "staging",
      identical: false,
      kinds: {
        schemas: {
          added: [{ id: expect.any(String), name: "machine" }],
          changed: [{ id: "lead", name: "lead", fields: ["fields.score"] }],
          removed: [],
          truncated: false,
        },
        permission: {
          added: [],
          changed: [],
          removed: [{ id: permissions[0].id, name: "Standard member" }],
          truncated: false,
        },
      },
    });
    const preview = await http.post("/v1/sandbox/staging/refresh?dry_run=true", { token, body: {}, expect: 200 });
    expect(preview.body).toEqual(diff);

    const refreshed = await steps.refresh(token, "staging");
    expect(refreshed).toMatchObject({ id: created.id, status: "active", description });
    const { body: none } = await http.get("/v1/sandbox/staging/diff", { token, expect: 200 });
    expect(none).toEqual({ sandbox_name: "staging", identical: true, kinds: {} });
    const { body: leads } = await http.get("/v1/object/lead", { token: inside, expect: 200 });
    expect(leads).toEqual([]);
    await http.get("/v1/schema/machine", { token: inside, expect: 404 });

    await steps.remove(token, "staging");
    await http.get("/v1/object/lead", { token: inside, expect: 401 });
    const { body: after } = await http.get("/v1/auth/load", { token, expect: 200 });
    expect(after.organizations).toEqual([{ id: owner.organizationId, name: "Acme" }]);
    expect((await http.get("/v1/sandbox", { token, expect: 200 })).body).toEqual([]);
  });

  test("has a name of lowercase letters, digits and underscores, of at most 40 characters", async () => {
    const { token } = await registerOrganization();
    for (const name of ["", "Upper", "with space", "dash-ed", "x".repeat(41), "ä", 7, null, undefined, "a\n"]) {
      expect([name, (await http.post("/v1/sandbox", { token, body: { name } })).status]).toEqual([name, 422]);
    }
    await http.post("/v1/sandbox", { token, body: { name: "ok", colour: "red" }, expect: 422 });
  });

  test("shares the first twelve characters of its name with no other", async () => {
    const { token } = await registerOrganization();
    await steps.create(token, "release_2026_a");
    const { body } = await http.post("/v1/sandbox", { token, body: { name: "release_2026_b" }, expect: 409 });
    expect(body.code).toBe("sandbox_exists");
    await http.post("/v1/sandbox", { token, body: { name: "release_2026_a" }, expect: 409 });
  });

  test("is written into the audit trail of its production organization", async () => {
    const { token } = await registerOrganization();
    await steps.create(token, "audited");
    await steps.refresh(token, "audited");
    await steps.remove(token, "audited");
    const { body } = await http.get("/v1/object/audit_entry?order_by=at", { token, expect: 200 });
    const actions = body.map(({ action }: { action: string }) => action);
    expect(actions.filter((action: string) => action.startsWith("sandbox_"))).toEqual([
      "sandbox_created",
      "sandbox_refreshed",
      "sandbox_deleted",
    ]);
  });
});

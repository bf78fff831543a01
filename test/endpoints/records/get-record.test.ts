import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let lead: { id: string };

beforeAll(async () => {
  owner = await registerOrganization();
  const body = { name: "Ada", email: "ada@example.com", amount: 10 };
  lead = (await http.post("/v1/object/lead", { token: owner.token, body, expect: 201 })).body;
});

const memberWith = async (permission: Record<string, unknown>): Promise<User> => {
  const body = { name: "Reader", ...permission };
  const { id } = (await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 })).body;
  return addUser(owner.organizationId, { permissions: [id] });
};

describe("GET /v1/object/{object}/{id}: 200", () => {
  it("gives the record as it was created, by the object's name in any letter case", async () => {
    for (const object of ["lead", "Lead"]) {
      const { body } = await http.get(`/v1/object/${object}/${lead.id}`, { token: owner.token, expect: 200 });
      expect(body).toEqual(lead);
    }
  });

  it("leaves out the fields that the caller may not read", async () => {
    const member = await memberWith({
      object_permissions: { lead: { read: true } },
      object_field_permissions: { lead: { amount: { read: false } } },
    });
    const { body } = await http.get(`/v1/object/lead/${lead.id}`, { token: member.token, expect: 200 });
    expect(body).not.toHaveProperty("amount");
    expect(body.email).toBe("ada@example.com");
  });

  it("leaves out what nobody may read of a user", async () => {
    const { body } = await http.get(`/v1/object/user/${owner.id}`, { token: owner.token, expect: 200 });
    expect(body).toMatchObject({ id: owner.id, email: owner.email, is_account_owner: true });
    for (const field of ["password_hash", "totp_secret", "notification_tokens"]) expect(body).not.toHaveProperty(field);
  });

  it("leaves out the organization's billing", async () => {
    const path = `/v1/object/organization/${owner.organizationId}`;
    const { body } = await http.get(path, { token: owner.token, expect: 200 });
    expect(body).toMatchObject({ id: owner.organizationId, is_sandbox: false });
    expect(body).not.toHaveProperty("billing");
  });
});

describe("GET /v1/object/{object}/{id}: 403", () => {
  it("without the permission to read the object, also for an id that does not exist", async () => {
    const member = await memberWith({ object_permissions: { lead: { create: true } } });
    for (const id of [lead.id, "nowhere"]) {
      const { body } = await http.get(`/v1/object/lead/${id}`, { token: member.token, expect: 403 });
      expect(body.code).toBe("forbidden");
    }
  });
});

describe("GET /v1/object/{object}/{id}: 404", () => {
  it("for an unknown object and for an unknown id", async () => {
    expect((await http.get("/v1/object/nothing/x", { token: owner.token, expect: 404 })).body.code).toBe(
      "object_not_found",
    );
    const { body } = await http.get("/v1/object/lead/x", { token: owner.token, expect: 404 });
    expect(body.code).toBe("record_not_found");
  });

  it("for another organization's record, with the same words as for a missing one", async () => {
    const stranger = await registerOrganization();
    const answers = await Promise.all(
      [lead.id, "0190a000-0000-7000-8000-000000000000"].map((id) =>
        http.get(`/v1/object/lead/${id}`, { token: stranger.token, expect: 404 }),
      ),
    );
    expect(answers[0]?.body.detail).toBe(answers[1]?.body.detail);
  });
});

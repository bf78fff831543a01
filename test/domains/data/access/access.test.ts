import { describe, expect, it } from "vitest";
import { type Access, accessOf, actsAsAdministrator, type Operation, requireAccess } from "#shared/data/access/access";
import { standardSchemas } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import type { Caller, Tenant } from "#shared/tenant/tenant";

type Rights = Record<string, unknown>;

let organizations = 0;

const tenantOf = (caller: Partial<Caller>, permissions: Rights[] = []) => {
  organizations += 1;
  const documents = permissions.map((rights, index) => ({ _id: `p${index}`, id: `p${index}`, ...rights }));
  let reads = 0;
  const tenant = {
    organization_id: `org_${organizations}`,
    caller: {
      client_id: null,
      scope: "all",
      is_admin: false,
      is_account_owner: false,
      is_superuser: false,
      role: null,
      permissions: documents.map(({ id }) => id),
      ...caller,
    },
    state: { access_version: 1 },
    collection: () => ({
      find: () => {
        reads += 1;
        return { toArray: async () => documents };
      },
    }),
  };
  return { tenant: tenant as unknown as Tenant, documents, reads: () => reads };
};

const accessTo = (caller: Partial<Caller>, permissions: Rights[] = []): Promise<Access> =>
  accessOf(tenantOf(caller, permissions).tenant);

const admin = { is_admin: true };
const owner = { is_admin: true, is_account_owner: true };
const operations: Operation[] = ["create", "read", "update", "delete"];
const all = { create: true, read: true, update: true, delete: true };
const objects = standardSchemas().map((schema) => schema.api_name);
const everything = { object_permissions: Object.fromEntries(objects.map((name) => [name, all])) };

describe("a member", () => {
  it("has no rights without a permission", async () => {
    const access = await accessTo({});
    for (const object of objects) {
      for (const operation of operations) expect(access.can(object, operation)).toBe(false);
      expect(access.fieldReadable(object, "name")).toBe(false);
      expect(access.fieldWritable(object, "name", "update")).toBe(false);
    }
  });

  it("has the rights of all their permissions together", async () => {
    const access = await accessTo({}, [
      { object_permissions: { lead: { read: true, update: false } } },
      { object_permissions: { lead: { update: true }, contact: { read: true } } },
    ]);
    expect(operations.map((operation) => access.can("lead", operation))).toEqual([false, true, true, false]);
    expect(access.can("contact", "read")).toBe(true);
    expect(access.can("invoice", "read")).toBe(false);
  });

  it("may use a field that one permission excludes and another one includes", async () => {
    const hidden = {
      object_permissions: { lead: { read: true, update: true } },
      object_field_permissions: { lead: { amount: { read: false }, status: { update: false } } },
    };
    const one = await accessTo({}, [hidden]);
    expect(one.fieldReadable("lead", "amount")).toBe(false);
    expect(one.fieldWritable("lead", "status", "update")).toBe(false);
    expect(one.fieldReadable("lead", "status")).toBe(true);
    const both = await accessTo({}, [hidden, { object_permissions: { lead: { read: true } } }]);
    expect(both.fieldReadable("lead", "amount")).toBe(true);
    expect(both.fieldWritable("lead", "status", "update")).toBe(false);
  });

  it("gets no rights through names of JavaScript's object prototype, or from a malformed permission", async () => {
    const access = await accessTo({}, [{ object_permissions: { lead: "all" } }, everything]);
    for (const name of ["constructor", "__proto__", "toString"]) {
      expect(access.can(name, "read")).toBe(false);
      expect(access.fieldReadable(name, name)).toBe(false);
    }
    expect((await accessTo({}, [{ object_permissions: { lead: "all" } }])).can("lead", "read")).toBe(false);
  });

  it("with every permission cannot change permissions or run code", async () => {
    const access = await accessTo({}, [everything]);
    for (const object of ["permission", "role", "function", "record_trigger", "automation"]) {
      expect(operations.map((operation) => access.can(object, operation))).toEqual([false, true, false, false]);
    }
    expect(access.can("user", "delete")).toBe(false);
    for (const field of ["role", "permissions", "is_account_admin", "is_account_owner", "is_active", "is_superuser"]) {
      expect(access.fieldWritable("user", field, "update")).toBe(false);
    }
    expect(access.fieldWritable("user", "first_name", "update")).toBe(true);
  });
});

describe("an admin", () => {
  it("may do everything except what is reserved for owners or the platform", async () => {
    const access = await accessTo(admin);
    expect(access.can("lead", "delete")).toBe(true);
    expect(access.can("permission", "create")).toBe(true);
    expect(access.fieldWritable("user", "is_account_admin", "update")).toBe(true);
    expect(access.fieldWritable("user", "is_account_owner", "update")).toBe(false);
    expect((await accessTo(owner)).fieldWritable("user", "is_account_owner", "update")).toBe(true);
    expect(access.fieldWritable("user", "is_account_owner", "update")).toBe(false);
  });
});

describe("nobody, not even an owner,", () => {
  it.each([
    ["user", "password_hash"],
    ["user", "totp_secret"],
    ["user", "notification_tokens"],
    ["auth_credential", "value"],
    ["organization", "billing"],
  ])("reads %s.%s", async (object, field) => {
    for (const caller of [owner, admin, { is_admin: true, is_superuser: true }]) {
      expect((await accessTo(caller)).fieldReadable(object, field)).toBe(false);
    }
  });

  it.each([
    ["user", "is_superuser"],
    ["user", "organizations"],
    ["user", "organization_id"],
    ["user", "email"],
    ["organization", "status"],
    ["organization", "is_sandbox"],
    ["scheduled_item", "execution_id"],
    ["scheduled_item", "last_run"],
    ["scheduled_item", "status_history"],
    ["document", "status"],
  ])("writes %s.%s as a record", async (object, field) => {
    expect((await accessTo(owner)).fieldWritable(object, field, "update")).toBe(false);
  });

  it.each(["log", "email_message", "sms_message", "push_message", "notification", "usage_record"])(
    "writes a %s",
    async (object) => {
      const access = await accessTo(owner);
      expect(operations.map((operation) => access.can(object, operation))).toEqual([false, true, false, false]);
    },
  );
});

describe("the audit trail", () => {
  const everyone: [string, Partial<Caller>][] = [
    ["a member with every permission", {}],
    ["an owner", owner],
    ["an admin", admin],
    ["an operator of the platform", { is_admin: true, is_superuser: true }],
    ["an admin's app without the scope for it", { ...admin, client_id: "app", scope: "read write" }],
    ["an admin's app with the scope for it", { ...admin, client_id: "app", scope: "read admin" }],
    ["a member's app with every scope", { client_id: "app", scope: "all" }],
  ];
  const readers = ["an owner", "an admin", "an operator of the platform", "an admin's app with the scope for it"];

  it.each(everyone)("is not writable by %s, and readable only by administrators", async (name, caller) => {
    const access = await accessTo(caller, [everything]);
    const allowed = operations.filter((operation) => access.can("audit_entry", operation));
    expect(allowed).toEqual(readers.includes(name) ? ["read"] : []);
    for (const field of ["changes", "at", "name"]) {
      expect(access.fieldReadable("audit_entry", field)).toBe(readers.includes(name));
      for (const operation of ["create", "update"] as const) {
        expect(access.fieldWritable("audit_entry", field, operation)).toBe(false);
      }
    }
  });
});

describe("a refusal by access", () => {
  it("says who may do it", async () => {
    const access = await accessTo({}, [everything]);
    const refusal = (object: string, operation: Operation): string => {
      try {
        requireAccess(access, object, operation);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
        expect(error).toMatchObject({ code: "forbidden", status: 403 });
        return (error as Fault).message;
      }
      return "allowed";
    };
    expect(refusal("permission", "update")).toMatch(/administrator/);
    expect(refusal("log", "delete")).toMatch(/^Nobody/);
    expect(refusal("elsewhere", "read")).toMatch(/permissions/);
    expect(refusal("lead", "read")).toBe("allowed");
  });
});

describe("the permissions of a member", () => {
  it("are read once for each version", async () => {
    const { tenant, documents, reads } = tenantOf({}, [{ object_permissions: { lead: { read: true } } }]);
    expect((await accessOf(tenant)).can("lead", "read")).toBe(true);
    Object.assign(documents[0] ?? {}, { object_permissions: {} });
    expect((await accessOf(tenant)).can("lead", "read")).toBe(true);
    expect(reads()).toBe(1);
    const later = { ...tenant, state: { ...tenant.state, access_version: 2 } };
    expect((await accessOf(later)).can("lead", "read")).toBe(false);
    expect(reads()).toBe(2);
  });
});

describe("acting as an administrator", () => {
  const acting = (caller: Partial<Caller>): boolean => actsAsAdministrator(tenantOf(caller).tenant.caller);

  it("is allowed for an admin in person, and for the admin's app with the scope", () => {
    expect(acting(admin)).toBe(true);
    expect(acting({ ...admin, client_id: "app", scope: "read admin" })).toBe(true);
    expect(acting({ ...admin, client_id: "app", scope: "all" })).toBe(true);
    expect(acting({ ...admin, client_id: "app", scope: "read write" })).toBe(false);
    expect(acting({ client_id: "app", scope: "admin" })).toBe(false);
    expect(acting({})).toBe(false);
  });
});

describe("the right to see sensitive values", () => {
  const reading = { object_permissions: { lead: { read: true } } };
  const withScope = { ...reading, scopes: ["sensitive:read"] };
  const app = (scope: string) => ({ client_id: "app", scope });

  it("is that of administrators in person, members with the scope, and apps that have it too", async () => {
    const sees = async (caller: Partial<Caller>, ...permissions: Rights[]): Promise<boolean> =>
      (await accessTo(caller, permissions)).seesSensitive;
    expect(await sees(admin)).toBe(true);
    expect(await sees(owner)).toBe(true);
    expect(await sees({ is_admin: true, is_superuser: true })).toBe(true);
    expect(await sees({}, withScope)).toBe(true);
    expect(await sees({}, reading, withScope)).toBe(true);
    expect(await sees({}, reading)).toBe(false);
    expect(await sees({})).toBe(false);
    for (const scope of ["all", "sensitive:read", "read sensitive:read"]) {
      expect(await sees({ ...admin, ...app(scope) })).toBe(true);
      expect(await sees(app(scope), withScope)).toBe(true);
      expect(await sees(app(scope), reading)).toBe(false);
    }
    for (const scope of ["read", "read write admin", "", "sensitive", "sensitive:readx"]) {
      expect(await sees({ ...owner, ...app(scope) })).toBe(false);
      expect(await sees(app(scope), withScope)).toBe(false);
    }
  });

  it("makes another key of an access, and another one with sensitive names", async () => {
    const { tenant } = tenantOf({}, [withScope]);
    const as = (caller: Partial<Caller>, sensitive_names?: string[]): Promise<Access> =>
      accessOf({
        ...tenant,
        caller: { ...tenant.caller, ...caller },
        state: { ...tenant.state, ...(sensitive_names && { sensitive_names }) },
      } as Tenant);
    for (const caller of [{}, admin, owner]) {
      const accesses = [
        await as(caller),
        await as({ ...caller, ...app("read admin") }),
        await as({ ...caller, ...app("read admin") }, ["lead"]),
        await as({ ...caller, ...app("read admin") }, ["lead", "contact"]),
      ];
      expect(new Set(accesses.map(({ key }) => key)).size).toBe(4);
      expect(await as({ ...caller, ...app("read admin") }, ["lead"])).toBe(accesses[2]);
    }
  });

  it("is not given by malformed scopes, which leave the other rights", async () => {
    for (const scopes of ["sensitive:read", [{ name: "sensitive:read" }], { "sensitive:read": true }, [7], null]) {
      const access = await accessTo({}, [{ ...reading, scopes }]);
      expect([access.seesSensitive, access.can("lead", "read")]).toEqual([false, true]);
    }
  });
});

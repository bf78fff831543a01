import { beforeAll, describe, expect, it } from "vitest";
import { createUser, databaseClient, http, registerOrganization, signIn, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { addTrigger, recordsOf } from "./triggers.ts";

let owner: User;
let member: User;

const post = async (token: string, path: string, body: unknown, status = 201) =>
  (await http.post(path, { token, body, expect: status })).body;

beforeAll(async () => {
  owner = await registerOrganization();
  const permission = await post(owner.token, "/v1/object/permission", {
    name: "Sales",
    object_permissions: {
      lead: { create: true, read: true, update: true },
      company: { create: true, read: true, update: true },
      contact: { read: true },
    },
    object_field_permissions: {
      lead: { amount: { read: true, update: false }, source: { read: false, update: false } },
    },
  });
  const { email, password } = await createUser(owner.organizationId, { permissions: [permission.id] });
  member = await signIn(email, password);
});

describe("a trigger runs with the rights of who writes", () => {
  it("and cannot set a field that the writer may not set", async () => {
    await addTrigger(owner, "amount", "for r in context.new_map.values():\n    r['amount'] = 5", {
      events: ["before_update"],
    });
    const { id } = await post(owner.token, "/v1/object/lead", { name: "a", owner: member.id });
    const { body } = await http.patch(`/v1/object/lead/${id}`, {
      token: member.token,
      body: { name: "b" },
      expect: 422,
    });
    expect(body.detail).toMatchObject([{ loc: ["body", "amount"], type: "forbidden", ctx: { trigger: "amount.py" } }]);
    const changed = await http.patch(`/v1/object/lead/${id}`, { token: owner.token, body: { name: "b" }, expect: 200 });
    expect(changed.body.amount).toBe(5);
  });

  it("and is not given a field that the writer may not read", async () => {
    await addTrigger(
      owner,
      "shows",
      "for r in context.new_map.values():\n    r['name'] = ','.join(k for k in ('source', 'amount') if k in r)",
      { events: ["before_create"], object: "lead" },
    );
    expect((await post(member.token, "/v1/object/lead", { name: "a" })).name).toBe("amount");
    expect((await post(owner.token, "/v1/object/lead", { name: "a", source: "Web" })).name).toBe("source,amount");
  });

  it("and may not write an object that the writer may not write", async () => {
    await addTrigger(owner, "contacts", "await context.records.create('contact', {'name': 'x'})", {
      events: ["after_create"],
      object: "company",
    });
    const body = await post(member.token, "/v1/object/company", { name: "a" }, 422);
    expect(body.detail).toMatchObject([{ type: "trigger_failed", ctx: { error_type: "PlatformError" } }]);
    expect(await recordsOf(owner, "company")).toEqual([]);
    await post(owner.token, "/v1/object/company", { name: "a" });
    expect(await recordsOf(owner, "contact")).toHaveLength(1);
  });
});

describe("encrypted fields", () => {
  it("are given to triggers, and encrypted when a trigger sets them", async () => {
    const fields = [{ name: "Iban", type: "string", encrypted: true }];
    await post(owner.token, "/v1/schema", { name: "Account", fields });
    await addTrigger(owner, "upper", "for r in context.new_map.values():\n    r['iban'] = r['iban'].upper()", {
      events: ["before_create"],
      object: "account",
    });
    const copies =
      "for id, r in context.new_map.items():\n" +
      "    if r['name'] == 'first':\n" +
      "        made = await context.records.create('account', {'name': 'copy', 'iban': r['iban'] + 'x'})\n" +
      "        await context.records.update('account', made['id'], {'iban': made['iban'] + 'Y'})";
    await addTrigger(owner, "copies", copies, { events: ["after_create"], object: "account" });
    const has =
      "await context.records.create('note', {'name': ','.join(k for r in context.new_map.values() for k in r)})";
    await addTrigger(owner, "has", has, { events: ["after_create"], object: "account", mode: "async" });
    expect((await post(owner.token, "/v1/object/account", { name: "first", iban: "de1" })).iban).toBe("DE1");
    const all = await recordsOf(owner, "account");
    expect(all.map(({ name, iban }) => [name, iban]).toSorted()).toEqual([
      ["copy", "DE1XY"],
      ["first", "DE1"],
    ]);
    await messagesAreHandled(owner);
    const notes = await recordsOf(owner, "note");
    expect(notes).toHaveLength(2);
    for (const { name } of notes) expect(String(name).split(",")).not.toContain("iban");
    const mongo = await databaseClient();
    const database = mongo.db(owner.organizationId);
    for (const { name } of await database.listCollections().toArray()) {
      expect(JSON.stringify(await database.collection(name).find().toArray()), name).not.toContain("DE1");
    }
    await mongo.close();
  });
});

describe("only administrators", () => {
  it("save triggers", async () => {
    const code = "async def execute(context):\n    pass\n";
    const body = { name: "x", file_name: "x.py", code, object_api_name: "lead", events: ["after_create"] };
    await post(member.token, "/v1/object/record_trigger", body, 403);
  });
});

describe("a trigger is refused when it is saved", () => {
  const fields = {
    name: "x",
    file_name: "x.py",
    code: "async def execute(context):\n    pass\n",
    object_api_name: "lead",
    events: ["after_create"],
  };
  const issueOf = async (changes: Record<string, unknown>) => {
    const { detail } = await post(owner.token, "/v1/object/record_trigger", { ...fields, ...changes }, 422);
    return detail.map(({ loc, type }: { loc: unknown; type: string }) => [loc, type]);
  };

  it.each([
    ["an unknown object", { object_api_name: "leed" }, "object_api_name", "unknown_object"],
    ["configuration", { object_api_name: "role" }, "object_api_name", "no_triggers"],
    ["what the platform writes", { object_api_name: "log" }, "object_api_name", "no_triggers"],
    ["an async event before the write", { mode: "async", events: ["before_create"] }, "mode", "async_before"],
    ["a file name without .py", { file_name: "x.js" }, "file_name", "file_name"],
    ["code that does not parse", { code: "async def execute(context):\n  return (" }, "code", "invalid_code"],
    ["code without the function", { code: "x = 1" }, "code", "invalid_code"],
  ])("for %s", async (_, changes, field, type) => {
    expect(await issueOf(changes)).toEqual([[["body", field], type]]);
  });

  it("for an unknown event, and for none", async () => {
    await post(owner.token, "/v1/object/record_trigger", { ...fields, events: ["on_create"] }, 422);
    await post(owner.token, "/v1/object/record_trigger", { ...fields, events: [] }, 422);
  });
});

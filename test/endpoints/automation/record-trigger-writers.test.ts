import { beforeEach, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { addFunction, run } from "./functions.ts";
import { addTrigger, recordsOf, triggerLogs } from "./triggers.ts";

let owner: User;
let token: string;

beforeEach(async () => {
  owner = await registerOrganization();
  token = owner.token;
});

const create = async (object: string, body: unknown, expect_ = 201) =>
  (await http.post(`/v1/object/${object}`, { token, body, expect: expect_ })).body;

describe("two writers at once", () => {
  it("whose triggers change one record lose no change", async () => {
    const body =
      "for r in context.new_map.values():\n" +
      "    id = r['company']['id']\n" +
      "    company = await context.records.update('company', id, {})\n" +
      "    await context.records.update('company', id, {'employees': company['employees'] + 1})";
    await addTrigger(owner, "count", body, { events: ["after_create"] });
    const { id: company } = await create("company", { name: "Acme", employees: 0 });
    const writes = Array.from({ length: 4 }, (_, index) =>
      http.post("/v1/object/lead", { token, body: { name: `${index}`, company } }),
    );
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    const created = statuses.filter((status) => status === 201).length;
    expect(created).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect((await recordsOf(owner, "company"))[0]?.employees).toBe(created);
    expect(await recordsOf(owner, "lead")).toHaveLength(created);
  });
});

describe("large writes", () => {
  it("of 500 records set off one run, which may write 500 others", async () => {
    const body =
      "tasks = [{'name': r['name'], 'related_to': {'id': id, 'schema': 'lead'}} for id, r in context.new_map.items()]\n" +
      "await context.records.create('task', tasks)";
    await addTrigger(owner, "tasks", body, { events: ["after_create"] });
    const names = Array.from({ length: 500 }, (_, index) => ({ name: `${index}` }));
    await create("lead", names);
    expect(await recordsOf(owner, "task")).toHaveLength(500);
    expect(await triggerLogs(owner)).toHaveLength(1);
  });

  it("of a trigger beyond 500 records are refused, and nothing is written", async () => {
    const body =
      "for part in range(2):\n    await context.records.create('task', [{'name': str(n)} for n in range(300)])";
    await addTrigger(owner, "tasks", body, { events: ["after_create"] });
    const { detail } = await create("lead", { name: "a" }, 422);
    expect(detail[0].msg).toContain("500 records");
    expect(await recordsOf(owner, "task")).toEqual([]);
    expect(await recordsOf(owner, "lead")).toEqual([]);
  });
});

describe("triggers", () => {
  it("that never end refuse the write in time, and the next one works", async () => {
    const id = await addTrigger(owner, "loops", "while True:\n    pass", { events: ["before_create"] });
    const { detail } = await create("lead", { name: "a" }, 422);
    expect(detail).toMatchObject([{ type: "trigger_failed", ctx: { trigger: "loops.py" } }]);
    await http.delete(`/v1/object/record_trigger/${id}`, { token, expect: 200 });
    await create("lead", { name: "b" });
    expect(await triggerLogs(owner)).toMatchObject([{ status: "failed", id: detail[0].ctx.execution_id }]);
  });

  it("run for records that functions write, and their path names the function", async () => {
    await addTrigger(owner, "upper", "for r in context.new_map.values():\n    r['name'] = r['name'].upper()", {
      events: ["before_create"],
    });
    const name = await addFunction(owner, "return (await platform.records.create('lead', {'name': 'a'}))['name']");
    expect((await run(owner, name)).body).toBe("A");
    await addTrigger(owner, "again", "await context.records.create('lead', {'name': 'x'})", {
      events: ["after_create"],
    });
    const { status, message } = (await run(owner, name)).body;
    expect([status, message]).toEqual(["error", expect.stringContaining(`${name} → again.py → again.py`)]);
    expect(await recordsOf(owner, "lead")).toHaveLength(1);
  });

  it("run functions whose writes belong to the same transaction", async () => {
    const name = await addFunction(owner, "await platform.records.create('contact', {'name': 'x'})");
    await addTrigger(owner, "calls", `await context.workflows.run_function('${name}', {})`, {
      events: ["after_create"],
    });
    await addTrigger(
      owner,
      "refuses",
      "for r in context.new_map.values():\n    if r['name'] == 'no': raise TriggerError('no')",
      {
        events: ["after_create"],
        order: 1,
      },
    );
    await create("lead", { name: "no" }, 422);
    expect(await recordsOf(owner, "contact")).toEqual([]);
    await create("lead", { name: "yes" });
    expect(await recordsOf(owner, "contact")).toHaveLength(1);
  });

  it("run for changes of users", async () => {
    await addTrigger(owner, "zone", "for r in context.new_map.values():\n    r['time_zone'] = 'Europe/Berlin'", {
      events: ["before_update"],
      object: "user",
    });
    const changed = await http.patch(`/v1/object/user/${owner.id}`, { token, body: { last_name: "New" }, expect: 200 });
    expect(changed.body.time_zone).toBe("Europe/Berlin");
  });

  it("go on after a refused call, without what the call has written", async () => {
    await addTrigger(owner, "inner", "await context.records.create('task', {'name': 'x'})\nraise TriggerError('no')", {
      events: ["after_create"],
      object: "contact",
    });
    const body =
      "try:\n    await context.records.create('contact', {'name': 'x'})\n" +
      "except PlatformError as error:\n    await context.records.create('company', {'name': error.code})";
    await addTrigger(owner, "outer", body, { events: ["after_create"] });
    await create("lead", { name: "a" });
    expect(await recordsOf(owner, "task")).toEqual([]);
    expect(await recordsOf(owner, "contact")).toEqual([]);
    expect((await recordsOf(owner, "company")).map(({ name }) => name)).toEqual(["validation_failed"]);
  });

  it("find a value that is taken at the commit, and nothing is written", async () => {
    await http.post("/v1/schema/field", {
      token,
      body: { object_id: "contact", name: "Code", type: "string", unique: true },
      expect: 200,
    });
    await create("contact", { name: "first", code: "1" });
    await addTrigger(owner, "taken", "await context.records.create('contact', {'name': 'x', 'code': '1'})", {
      events: ["after_create"],
    });
    const { code } = await create("lead", { name: "a" }, 409);
    expect(code).toBe("duplicate_value");
    expect(await recordsOf(owner, "lead")).toEqual([]);
  });
});

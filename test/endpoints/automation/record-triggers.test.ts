import { beforeEach, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { addTrigger, recordsOf, triggerLogs } from "./triggers.ts";

let owner: User;
let token: string;

beforeEach(async () => {
  owner = await registerOrganization();
  token = owner.token;
});

const create = (body: unknown, expect_ = 201, object = "lead") =>
  http.post(`/v1/object/${object}`, { token, body, expect: expect_ });

const change = (id: string, body: unknown, expect_ = 200) =>
  http.patch(`/v1/object/lead/${id}`, { token, body, expect: expect_ });

const namesOf = async (object: string) => (await recordsOf(owner, object)).map(({ name }) => name);

describe("before_create", () => {
  it("changes the records of the whole batch in one run", async () => {
    const body =
      "for record in context.new_map.values():\n    record['name'] = record['name'].upper()\ncontext.log(str(len(context.new_map)))";
    await addTrigger(owner, "upper", body, { events: ["before_create"] });
    const reply = await create([{ name: "a" }, { name: "b" }]);
    expect(reply.body.map(({ name }: { name: string }) => name)).toEqual(["A", "B"]);
    const logs = await triggerLogs(owner);
    expect(logs).toHaveLength(1);
    expect(logs[0]).toMatchObject({ name: "upper.py", place: "trigger", status: "completed" });
    expect(logs[0]?.lines).toMatchObject([{ message: "2" }]);
  });

  it("fills required fields, before the rules and in the order of the triggers", async () => {
    await addTrigger(owner, "b", "for r in context.new_map.values():\n    r['name'] = r['name'] + 'b'", {
      events: ["before_create"],
    });
    await addTrigger(owner, "z", "for r in context.new_map.values():\n    r['name'] = 'z'", {
      events: ["before_create"],
      order: -1,
    });
    expect((await create({ amount: 1 })).body.name).toBe("zb");
    await http.post("/v1/schema/lead/validation-rule", {
      token,
      body: { name: "Named", condition: 'record.name == "zb"', error_message: "Not zb." },
      expect: 200,
    });
    expect((await create({ amount: 1 }, 422)).body.detail).toMatchObject([{ msg: "Not zb." }]);
  });

  it("refuses a record by its id and field, and nothing is written", async () => {
    const body =
      "for id, r in context.new_map.items():\n    if r['name'] == 'b':\n        raise TriggerError('No b.', field='name', record_id=id)";
    await addTrigger(owner, "refuses", body, { events: ["before_create"] });
    const reply = await create([{ name: "a" }, { name: "b" }], 422);
    expect(reply.body.detail).toEqual([
      {
        loc: ["body", 1, "name"],
        msg: "No b.",
        type: "trigger_refused",
        ctx: { trigger: "refuses.py", execution_id: expect.any(String), field: "name" },
      },
    ]);
    expect(await recordsOf(owner, "lead")).toEqual([]);
    const [log] = await triggerLogs(owner);
    expect([log?.id, log?.status]).toEqual([reply.body.detail[0].ctx.execution_id, "failed"]);
  });

  it("refuses the write when the code fails, and names trigger and execution", async () => {
    await addTrigger(owner, "fails", "return 1 / 0", { events: ["before_create"] });
    const reply = await create({ name: "a" }, 422);
    expect(reply.body.detail).toMatchObject([
      { loc: ["body"], type: "trigger_failed", ctx: { trigger: "fails.py", error_type: "ZeroDivisionError" } },
    ]);
    expect(await recordsOf(owner, "lead")).toEqual([]);
  });

  it("is not run for an inactive trigger, and again once it is active", async () => {
    const id = await addTrigger(owner, "refuses", "raise TriggerError('no')", {
      events: ["before_create"],
      active: false,
    });
    await create({ name: "a" });
    await http.patch(`/v1/object/record_trigger/${id}`, { token, body: { active: true }, expect: 200 });
    await create({ name: "b" }, 422);
    await http.delete(`/v1/object/record_trigger/${id}`, { token, expect: 200 });
    await create({ name: "c" });
  });
});

describe("before_update and before_delete", () => {
  it("sees what has changed", async () => {
    const body =
      "for id in context.new_map:\n    if context.is_changed(id, 'amount'):\n        context.new_map[id]['status'] = 'Working'";
    await addTrigger(owner, "watch", body, { events: ["before_update"] });
    const { id } = (await create({ name: "a", amount: 1, status: "New" })).body;
    expect((await change(id, { name: "b" })).body.status).toBe("New");
    expect((await change(id, { amount: 2 })).body.status).toBe("Working");
  });

  it("refuses the deletion of one of many records", async () => {
    const body =
      "for id, r in context.old_map.items():\n    if r['name'] == 'b':\n        raise TriggerError('Keep b.', record_id=id)";
    await addTrigger(owner, "keep", body, { events: ["before_delete"] });
    const { body: leads } = await create([{ name: "a" }, { name: "b" }]);
    const ids = leads.map(({ id }: { id: string }) => id);
    const reply = await http.delete(`/v1/object/lead?ids=${ids[0]}&ids=${ids[1]}`, { token, expect: 422 });
    expect(reply.body.detail).toMatchObject([{ loc: ["query", "ids", 1], msg: "Keep b.", type: "trigger_refused" }]);
    expect(await recordsOf(owner, "lead")).toHaveLength(2);
    await http.delete(`/v1/object/lead/${ids[0]}`, { token, expect: 200 });
  });
});

describe("after_create", () => {
  it("writes other records in the same transaction", async () => {
    const body =
      "for id, r in context.new_map.items():\n" +
      "    made = await context.records.create('task', {'name': 'Call ' + r['name'], 'related_to': {'id': id, 'schema': 'lead'}})\n" +
      "    await context.records.update('task', {'id': made['id'], 'name': made['name'] + '!'})\n" +
      "    await context.records.update('lead', id, {'status': 'Working'})";
    await addTrigger(owner, "follow", body, { events: ["after_create"] });
    const reply = await create([{ name: "a" }, { name: "b" }]);
    expect(reply.body.map(({ status }: { status: string }) => status)).toEqual(["Working", "Working"]);
    const tasks = await recordsOf(owner, "task");
    expect(tasks.map(({ name, related_to }) => [name, (related_to as { name: string }).name])).toEqual([
      ["Call a!", "a"],
      ["Call b!", "b"],
    ]);
  });

  it("writes nothing when a later trigger of the write refuses it", async () => {
    await addTrigger(owner, "a", "await context.records.create('contact', {'name': 'x'})", {
      events: ["after_create"],
    });
    await addTrigger(owner, "b", "raise TriggerError('no')", { events: ["after_create"] });
    await create({ name: "a" }, 422);
    expect(await recordsOf(owner, "contact")).toEqual([]);
    expect(await recordsOf(owner, "lead")).toEqual([]);
  });

  it("names the path of a cycle", async () => {
    const ping = "await context.records.create('contact', {'name': 'x'})";
    const pong = "await context.records.create('lead', {'name': 'x'})";
    await addTrigger(owner, "ping", ping, { events: ["after_create"] });
    await addTrigger(owner, "pong", pong, { events: ["after_create"], object: "contact" });
    const reply = await create({ name: "a" }, 422);
    expect(reply.body.detail[0].type).toBe("trigger_failed");
    expect(reply.body.detail[0].msg).toContain("ping.py → pong.py → ping.py → pong.py → ping.py → pong.py");
    expect(await recordsOf(owner, "lead")).toEqual([]);
    expect(await recordsOf(owner, "contact")).toEqual([]);
  });
});

describe("a repeated request", () => {
  it("with the same Idempotency-Key runs no trigger again", async () => {
    await addTrigger(owner, "one", "await context.records.create('contact', {'name': 'x'})", {
      events: ["after_create"],
    });
    const headers = { "idempotency-key": "k1" };
    const first = await http.post("/v1/object/lead", { token, headers, body: { name: "a" }, expect: 201 });
    const again = await http.post("/v1/object/lead", { token, headers, body: { name: "a" }, expect: 201 });
    expect(again.body).toEqual(first.body);
    expect(await recordsOf(owner, "contact")).toHaveLength(1);
    expect(await triggerLogs(owner)).toHaveLength(1);
  });
});

describe("async triggers", () => {
  it("run after the commit, with the records of the batch and in the name of the writer", async () => {
    const body =
      "for id, r in context.new_map.items():\n" +
      "    await context.records.create('task', {'name': context.event + ' ' + r['name'] + ' ' + context.user['name']})";
    await addTrigger(owner, "later", body, { events: ["after_create"], mode: "async" });
    await create([{ name: "a" }, { name: "b" }]);
    await messagesAreHandled(owner);
    expect(await namesOf("task")).toEqual(["after_create a Olga Owner", "after_create b Olga Owner"]);
    expect(await triggerLogs(owner)).toMatchObject([{ name: "later.py", status: "completed", place: "trigger" }]);
  });

  it("run for changes and deletions, with the values before them", async () => {
    const body =
      "for id, r in context.old_map.items():\n" +
      "    after = context.new_map[id]['name'] if id in context.new_map else None\n" +
      "    await context.records.create('task', {'name': f'{context.event} {r[\"name\"]} {after}'})";
    await addTrigger(owner, "later", body, { events: ["after_update", "after_delete"], mode: "async" });
    const { id } = (await create({ name: "a" })).body;
    await change(id, { name: "b" });
    await messagesAreHandled(owner);
    expect(await namesOf("task")).toEqual(["after_update a b"]);
    await http.delete(`/v1/object/lead/${id}`, { token, expect: 200 });
    await messagesAreHandled(owner);
    expect(await namesOf("task")).toEqual(["after_update a b", "after_delete b None"]);
  });

  it("do not run when the write is refused", async () => {
    await addTrigger(owner, "later", "await context.records.create('task', {'name': 'x'})", {
      events: ["after_create"],
      mode: "async",
    });
    await addTrigger(owner, "no", "raise TriggerError('no')", { events: ["after_create"] });
    await create({ name: "a" }, 422);
    await addTrigger(owner, "then", "await context.records.create('task', {'name': 'y'})", {
      events: ["after_create"],
      object: "contact",
      mode: "async",
    });
    await create({ name: "b" }, 201, "contact");
    await messagesAreHandled(owner);
    expect(await namesOf("task")).toEqual(["y"]);
  });

  it("run again by a replay, unlike sync triggers", async () => {
    const body = "await context.records.create('task', {'name': next(iter(context.new_map.values()))['name']})";
    await addTrigger(owner, "later", body, { events: ["after_create"], mode: "async" });
    await addTrigger(owner, "now", "pass", { events: ["before_create"] });
    await create({ name: "a" });
    await messagesAreHandled(owner);
    const logs = await triggerLogs(owner);
    const path = (file: string) => `/v1/automation/executions/${logs.find(({ name }) => name === file)?.id}/replay`;
    await http.post(path("later.py"), { token, expect: 200 });
    expect(await namesOf("task")).toEqual(["a", "a"]);
    const refused = await http.post(path("now.py"), { token, expect: 409 });
    expect(refused.body.code).toBe("execution_not_replayable");
  });

  it("of each other end at the depth limit, with the path in the log", async () => {
    await addTrigger(owner, "again", "await context.records.create('lead', {'name': 'x'})", {
      events: ["after_create"],
      mode: "async",
    });
    await create({ name: "a" });
    await messagesAreHandled(owner);
    const failed = (await triggerLogs(owner)).filter(({ status }) => status === "failed");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.message).toContain("again.py → again.py → again.py → again.py → again.py → again.py");
    expect(await recordsOf(owner, "lead")).toHaveLength(6);
  });
});

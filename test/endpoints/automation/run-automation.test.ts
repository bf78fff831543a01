import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { executionOf, expr, inRow, node, run, saveAutomation } from "../../setup/automations.ts";

let owner: User;
let member: User;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});

const lead = async (fields: Record<string, unknown>) =>
  (await http.post("/v1/object/lead", { token: owner.token, body: fields, expect: 201 })).body;

describe("POST /v1/automation/{automation_id}: 200", () => {
  it("gives what the return gave", async () => {
    const id = await saveAutomation(
      owner,
      inRow([], { sum: expr("inputs.a + inputs.b"), by: expr("user.email"), plain: [1, "x"] }),
    );
    const reply = await run(owner, id, { a: 2, b: 3.5 });
    expect(reply.body).toEqual({ sum: 5.5, by: owner.email, plain: [1, "x"] });
    expect(reply.headers.get("x-execution-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("runs without a body, and gives null for a return without a value", async () => {
    const id = await saveAutomation(owner, inRow([]));
    expect((await run(owner, id)).body).toBeNull();
  });

  it("creates, finds and updates records", async () => {
    const nodes = [
      node("made", "create_record", { object: "lead", values: { name: expr("inputs.name"), amount: 5 } }),
      node("found", "query", {
        sql: "SELECT id, name, amount FROM lead WHERE name = $1",
        params: [expr("inputs.name")],
      }),
      node("changed", "update_record", {
        object: "lead",
        id: expr("nodes.made"),
        values: { amount: expr("nodes.found[0].amount * 2") },
      }),
    ];
    const id = await saveAutomation(
      owner,
      inRow(nodes, { id: expr("nodes.made.id"), amount: expr("nodes.changed.amount") }),
    );
    const { body } = await run(owner, id, { name: "Ada of the automation" });
    expect(body.amount).toBe(10);
    const stored = await http.get(`/v1/object/lead/${body.id}`, { token: owner.token, expect: 200 });
    expect(stored.body).toMatchObject({ name: "Ada of the automation", amount: 10, created_by: { id: owner.id } });
  });

  it("follows conditions", async () => {
    const drawing = {
      nodes: [
        node("start", "trigger", { kind: "manual" }),
        node("big", "condition", { expression: "inputs.amount > 100.0" }),
        node("yes", "return", { value: "big" }),
        node("no", "return", { value: "small" }),
      ],
      edges: [
        { from: "start", to: "big" },
        { from: "big", to: "yes", when: true },
        { from: "big", to: "no", when: false },
      ],
    };
    const id = await saveAutomation(owner, drawing);
    expect((await run(owner, id, { amount: 101 })).body).toBe("big");
    expect((await run(owner, id, { amount: 99 })).body).toBe("small");
    // An absent value is not more than 100.
    expect((await run(owner, id)).body).toBe("small");
  });

  it("goes through the items of loops within loops", async () => {
    const drawing = {
      nodes: [
        node("start", "trigger", { kind: "manual", variables: { sum: 0, seen: "" } }),
        node("rows", "loop", { items: expr("inputs.rows"), limit: 10 }),
        node("cells", "loop", { items: expr("item.cells"), limit: 10 }),
        node("add", "assign", {
          values: { sum: expr("vars.sum + item"), seen: expr("vars.seen + loops.rows.item.name + string(index)") },
        }),
        node("end", "return", { value: { sum: expr("vars.sum"), seen: expr("vars.seen") } }),
      ],
      edges: [
        { from: "start", to: "rows" },
        { from: "rows", to: "cells", when: "each" },
        { from: "cells", to: "add", when: "each" },
        { from: "add", to: "cells" },
        { from: "cells", to: "rows", when: "done" },
        { from: "rows", to: "end", when: "done" },
      ],
    };
    const id = await saveAutomation(owner, drawing);
    const rows = [
      { name: "a", cells: [1, 2] },
      { name: "b", cells: [] },
      { name: "c", cells: [10] },
    ];
    expect((await run(owner, id, { rows })).body).toEqual({ sum: 13, seen: "a0a1c0" });
    expect((await run(owner, id)).body).toEqual({ sum: 0, seen: "" });
  });

  it("tells which node failed", async () => {
    const id = await saveAutomation(
      owner,
      inRow([node("bad", "create_record", { object: "lead", values: { email: "nobody" } })]),
    );
    const reply = await run(owner, id);
    expect(reply.body).toMatchObject({ status: "error", error_type: "validation_failed" });
    expect(reply.body.message).toMatch(/^"bad": .*name/);
    const execution = await executionOf(owner, reply);
    expect(execution).toMatchObject({ kind: "automation", status: "failed", place: "api", error: { node: "bad" } });
    expect(execution.lines.map((line: { node: string; status: string }) => [line.node, line.status])).toEqual([
      ["start", "completed"],
      ["bad", "failed"],
    ]);
  });

  it("follows the edge of an error", async () => {
    const drawing = {
      nodes: [
        node("start", "trigger", { kind: "manual" }),
        node("bad", "create_record", { object: "lead", values: {} }),
        node("end", "return", { value: "created" }),
        node("failed", "return", { value: { node: expr("error.node"), type: expr("error.type") } }),
      ],
      edges: [
        { from: "start", to: "bad" },
        { from: "bad", to: "end" },
        { from: "bad", to: "failed", when: "error" },
      ],
    };
    const id = await saveAutomation(owner, drawing);
    expect((await run(owner, id)).body).toEqual({ node: "bad", type: "validation_failed" });
  });

  it("logs each node with what it was given and what it gave", async () => {
    const nodes = [
      node("set", "assign", { values: { big: expr("inputs.big"), password: "hunter2" } }),
      node("made", "create_record", { object: "lead", values: { name: "Logged" } }),
    ];
    const id = await saveAutomation(owner, inRow(nodes, "done"), { name: "A logged one" });
    const reply = await run(owner, id, { big: "x".repeat(5_000) });
    const execution = await executionOf(owner, reply);
    expect(execution).toMatchObject({
      name: "A logged one",
      status: "completed",
      output: "done",
      user: { id: owner.id },
    });
    const [, set, made, end] = execution.lines;
    expect(set).toMatchObject({ node: "set", type: "assign", status: "completed", ms: expect.any(Number) });
    expect(set.inputs).toMatchObject({ cut: true });
    expect(made).toMatchObject({ inputs: { object: "lead", values: { name: "Logged" } } });
    expect(end).toMatchObject({ node: "end", output: "done" });
    expect(JSON.stringify(execution)).not.toContain("hunter2");
  });

  it("fails a list that is longer than the limit of its loop", async () => {
    const drawing = {
      nodes: [
        node("start", "trigger", { kind: "manual" }),
        node("each_one", "loop", { items: expr("inputs.items"), limit: 2 }),
        node("set", "assign", { values: { last: expr("item") } }),
        node("end", "return", { value: expr("vars.last") }),
      ],
      edges: [
        { from: "start", to: "each_one" },
        { from: "each_one", to: "set", when: "each" },
        { from: "set", to: "each_one" },
        { from: "each_one", to: "end", when: "done" },
      ],
    };
    const id = await saveAutomation(owner, drawing);
    expect((await run(owner, id, { items: [1, 2] })).body).toBe(2);
    expect((await run(owner, id, { items: [1, 2, 3] })).body).toMatchObject({ status: "error", error_type: "limit" });
    expect((await run(owner, id, { items: "ab" })).body).toMatchObject({ status: "error", error_type: "loop" });
  });

  it("ends a run of more than 1,000 nodes", async () => {
    const sets = Array.from({ length: 4 }, (_, index) => node(`set${index}`, "assign", { values: { last: index } }));
    const drawing = {
      nodes: [
        node("start", "trigger", { kind: "manual" }),
        node("each_one", "loop", { items: expr("inputs.items"), limit: 500 }),
        ...sets,
        node("end", "return"),
      ],
      edges: [
        { from: "start", to: "each_one" },
        { from: "each_one", to: "set0", when: "each" },
        ...[0, 1, 2].map((index) => ({ from: `set${index}`, to: `set${index + 1}` })),
        { from: "set3", to: "each_one" },
        { from: "each_one", to: "end", when: "done" },
      ],
    };
    const id = await saveAutomation(owner, drawing);
    const items = Array.from({ length: 300 }, (_, index) => index);
    expect((await run(owner, id, { items })).body).toMatchObject({ status: "error", error_type: "limit" });
    expect((await run(owner, id, { items: items.slice(0, 200) })).body).toBeNull();
  });

  it("ends a run that would keep too much", async () => {
    const drawing = {
      nodes: [
        node("start", "trigger", { kind: "manual", variables: { text: "xxxxxxxxxxxxxxxx" } }),
        node("each_one", "loop", { items: expr("inputs.items"), limit: 500 }),
        node("double", "assign", { values: { text: expr("vars.text + vars.text") } }),
        node("end", "return"),
      ],
      edges: [
        { from: "start", to: "each_one" },
        { from: "each_one", to: "double", when: "each" },
        { from: "double", to: "each_one" },
        { from: "each_one", to: "end", when: "done" },
      ],
    };
    const id = await saveAutomation(owner, drawing);
    const { body } = await run(owner, id, { items: Array.from({ length: 100 }, () => 1) });
    expect(body).toMatchObject({ status: "error" });
    expect(["limit", "exception", "expression"]).toContain(body.error_type);
  });

  it("runs twice at once without mixing", async () => {
    const nodes = [
      node("set", "assign", { values: { mine: expr("inputs.mine") } }),
      node("made", "create_record", { object: "lead", values: { name: expr("vars.mine") } }),
    ];
    const id = await saveAutomation(owner, inRow(nodes, { mine: expr("vars.mine"), name: expr("nodes.made.name") }));
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => run(owner, id, { mine: `Run ${index}` })));
    for (const [index, { body }] of all.entries()) expect(body).toEqual({ mine: `Run ${index}`, name: `Run ${index}` });
  });

  it("gives a repetition with the same Idempotency-Key the outcome of the first run", async () => {
    const id = await saveAutomation(
      owner,
      inRow([node("made", "create_record", { object: "lead", values: { name: "Once" } })], expr("nodes.made.id")),
    );
    const options = { expect: 200, headers: { "idempotency-key": `run-${id}` } };
    const first = await run(owner, id, {}, options);
    const second = await run(owner, id, {}, options);
    expect(second.body).toBe(first.body);
    expect(second.headers.get("x-execution-id")).toBe(first.headers.get("x-execution-id"));
    await run(owner, id, { other: 1 }, { ...options, expect: 422 });
  });
});

describe("the rights of a run are those of the caller", () => {
  it("which a member has, if they may read the automation", async () => {
    const drawing = inRow([node("found", "query", { sql: "SELECT id FROM automation" })], expr("user.id"));
    const id = await saveAutomation(owner, drawing);
    const { status } = await http.get(`/v1/object/automation/${id}`, { token: member.token });
    const reply = await run(member, id, {}, {});
    if (status === 200) expect(reply.body).toMatchObject({ status: "error" });
    else expect([403, 404]).toContain(reply.status);
  });
});

describe("POST /v1/automation/{automation_id} is refused", () => {
  it("for an automation that is unknown, inactive or of another organization", async () => {
    const other = await registerOrganization();
    const [inactive, foreign] = await Promise.all([
      saveAutomation(owner, inRow([]), { active: false }),
      saveAutomation(other, inRow([])),
    ]);
    for (const id of ["nothing", inactive, foreign]) {
      const { body } = await run(owner, id, {}, { expect: 404 });
      expect(body.code).toBe("automation_not_found");
    }
  });
});

describe("an automation is checked when it is saved", () => {
  it("and refused with the place of each issue", async () => {
    const drawing = inRow([node("made", "create_record", { object: "lead", values: { nam: expr("inputs.x +") } })]);
    const { body } = await http.post("/v1/object/automation", {
      token: owner.token,
      body: { name: "Wrong", ...drawing },
      expect: 422,
    });
    expect(body.detail).toContainEqual(
      expect.objectContaining({ loc: ["body", "nodes", 1, "config", "values", "nam"], type: "unknown_field" }),
    );
    expect(body.detail).toContainEqual(
      expect.objectContaining({
        loc: ["body", "nodes", 1, "config", "values", "nam", "="],
        type: "rule_syntax",
        ctx: expect.objectContaining({ node: "made", line: 1 }),
      }),
    );
  });

  it("and again when its nodes change or it is activated", async () => {
    const draft = await http.post("/v1/object/automation", {
      token: owner.token,
      body: { name: "Draft" },
      expect: 201,
    });
    const path = `/v1/object/automation/${draft.body.id}`;
    await http.patch(path, { token: owner.token, body: { active: true }, expect: 422 });
    await http.patch(path, { token: owner.token, body: { nodes: [node("end", "return")] }, expect: 422 });
    await http.patch(path, { token: owner.token, body: { ...inRow([]), active: true }, expect: 200 });
    await http.patch(path, { token: owner.token, body: { edges: [] }, expect: 422 });
    await http.patch(path, { token: owner.token, body: { public: true }, expect: 422 });
  });

  it("and written by administrators alone", async () => {
    await http.post("/v1/object/automation", {
      token: member.token,
      body: { name: "Mine", ...inRow([]) },
      expect: 403,
    });
  });
});

it("a lead that exists is not touched by a run that fails before its update", async () => {
  const { id: leadId } = await lead({ name: "Kept", amount: 1 });
  const nodes = [
    node("bad", "query", { sql: "SELECT nothing FROM nowhere" }),
    node("changed", "update_record", { object: "lead", id: leadId, values: { amount: 2 } }),
  ];
  const id = await saveAutomation(owner, inRow(nodes));
  expect((await run(owner, id)).body).toMatchObject({ status: "error", error_type: "validation_failed" });
  expect((await http.get(`/v1/object/lead/${leadId}`, { token: owner.token, expect: 200 })).body.amount).toBe(1);
});

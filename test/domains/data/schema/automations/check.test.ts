import { describe, expect, it } from "vitest";
import { end, inRow, issuesIn, trigger } from "./definitions.ts";

const condition = (expression: string, id = "check") => ({ id, type: "condition", config: { expression } });

const loop = (id = "each_lead", limit = 10) => ({
  id,
  type: "loop",
  config: { items: { "=": "inputs.leads" }, limit },
});

const assign = (id: string, values: Record<string, unknown> = { total: 1 }) => ({
  id,
  type: "assign",
  config: { values },
});

describe("a definition is accepted", () => {
  it("with every type of node", () => {
    const drawing = {
      nodes: [
        {
          id: "start",
          type: "trigger",
          config: { kind: "record", object: "lead", events: ["after_create"], variables: { total: 0 } },
        },
        {
          id: "find",
          type: "query",
          config: { sql: "SELECT id FROM lead WHERE name = $1", params: [{ "=": "inputs.name" }] },
        },
        loop("each_lead"),
        { id: "score", type: "function", config: { function_name: "score.py", inputs: { lead: { "=": "item" } } } },
        assign("add", { total: { "=": "vars.total + nodes.score.points" } }),
        condition("vars.total > 10.0 && user.is_admin"),
        {
          id: "task",
          type: "create_record",
          config: { object: "task", values: { name: { "=": "'Call ' + inputs.name" } } },
        },
        {
          id: "mark",
          type: "update_record",
          config: { object: "lead", id: { "=": "inputs.id" }, values: { status: "Working" } },
        },
        { id: "wait", type: "delay", config: { seconds: 60 } },
        { id: "tell", type: "notify", config: { title: "Done", body: { "=": "string(vars.total)" } } },
        {
          id: "mail",
          type: "send_email",
          config: { to: "a@b.test", subject: "Failed", text: { "=": "error.message" } },
        },
        end,
      ],
      edges: [
        { from: "start", to: "find" },
        { from: "find", to: "each_lead" },
        { from: "each_lead", to: "score", when: "each" },
        { from: "score", to: "add" },
        { from: "add", to: "each_lead" },
        { from: "each_lead", to: "check", when: "done" },
        { from: "check", to: "task", when: true },
        { from: "check", to: "mark", when: false },
        { from: "task", to: "wait" },
        { from: "mark", to: "wait" },
        { from: "wait", to: "tell" },
        { from: "tell", to: "end" },
        { from: "tell", to: "mail", when: "error" },
        { from: "mail", to: "end" },
      ],
    };
    expect(issuesIn(drawing)).toEqual([]);
  });

  it("with a loop within a loop", () => {
    const drawing = {
      nodes: [
        trigger,
        loop("outer"),
        loop("inner"),
        assign("add", { total: { "=": "loops.outer.index + index" } }),
        end,
      ],
      edges: [
        { from: "start", to: "outer" },
        { from: "outer", to: "inner", when: "each" },
        { from: "inner", to: "add", when: "each" },
        { from: "add", to: "inner" },
        { from: "inner", to: "outer", when: "done" },
        { from: "outer", to: "end", when: "done" },
      ],
    };
    expect(issuesIn(drawing)).toEqual([]);
  });
});

describe("a definition is refused", () => {
  const refused = (
    name: string,
    drawing: { nodes?: unknown; edges?: unknown },
    loc: (string | number)[],
    type: string,
  ) =>
    it(name, () => {
      expect(issuesIn(drawing)).toContainEqual(expect.objectContaining({ loc, type }));
    });

  refused("without a trigger", { nodes: [end], edges: [] }, ["nodes"], "no_trigger");
  refused(
    "with a second trigger",
    { nodes: [trigger, end, { ...trigger, id: "second" }], edges: [{ from: "start", to: "end" }] },
    ["nodes", 2],
    "second_trigger",
  );
  refused(
    "with an unknown type of node",
    inRow({ id: "x", type: "loops", config: {} }),
    ["nodes", 1, "type"],
    "unknown_node_type",
  );
  refused(
    "with a type of node that is a name of JavaScript",
    inRow({ id: "x", type: "constructor", config: {} }),
    ["nodes", 1, "type"],
    "unknown_node_type",
  );
  refused(
    "with two nodes of one id",
    { nodes: [trigger, end, end], edges: [{ from: "start", to: "end" }] },
    ["nodes", 2, "id"],
    "duplicate_node",
  );
  refused(
    "with an edge to no node",
    { nodes: [trigger, end], edges: [{ from: "start", to: "nowhere" }] },
    ["edges", 0, "to"],
    "unknown_node",
  );
  refused(
    "with an edge from no node",
    {
      nodes: [trigger, end],
      edges: [
        { from: "start", to: "end" },
        { from: "x", to: "end" },
      ],
    },
    ["edges", 1, "from"],
    "unknown_node",
  );
  refused(
    "with a dead end",
    { nodes: [trigger, assign("a")], edges: [{ from: "start", to: "a" }] },
    ["nodes", 1],
    "dead_end",
  );
  refused(
    "with a condition of one way",
    {
      nodes: [trigger, condition("true"), end],
      edges: [
        { from: "start", to: "check" },
        { from: "check", to: "end", when: true },
      ],
    },
    ["nodes", 1],
    "dead_end",
  );
  refused(
    "with a node that nothing leads to",
    { nodes: [trigger, end, { ...end, id: "lost" }], edges: [{ from: "start", to: "end" }] },
    ["nodes", 2],
    "unreachable",
  );
  refused(
    "with a cycle without a loop",
    {
      nodes: [trigger, assign("a"), assign("b")],
      edges: [
        { from: "start", to: "a" },
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ],
    },
    ["nodes", 2],
    "unbounded_loop",
  );
  refused(
    "with an error edge that leads back",
    {
      ...inRow(assign("a"), assign("b")),
      edges: [...inRow(assign("a"), assign("b")).edges, { from: "b", to: "a", when: "error" }],
    },
    ["nodes", 2],
    "unbounded_loop",
  );
  refused(
    "with a loop that leads back to itself when it is done",
    {
      nodes: [trigger, loop(), assign("a")],
      edges: [
        { from: "start", to: "each_lead" },
        { from: "each_lead", to: "a", when: "each" },
        { from: "a", to: "each_lead" },
        { from: "each_lead", to: "each_lead", when: "done" },
      ],
    },
    ["nodes", 1],
    "unbounded_loop",
  );
  refused(
    "with a jump out of a loop",
    {
      nodes: [trigger, loop(), assign("a"), end],
      edges: [
        { from: "start", to: "each_lead" },
        { from: "each_lead", to: "a", when: "each" },
        { from: "a", to: "end" },
        { from: "each_lead", to: "end", when: "done" },
      ],
    },
    ["nodes", 3],
    "unbounded_loop",
  );
  refused(
    "with an empty loop",
    {
      nodes: [trigger, loop(), end],
      edges: [
        { from: "start", to: "each_lead" },
        { from: "each_lead", to: "each_lead", when: "each" },
        { from: "each_lead", to: "end", when: "done" },
      ],
    },
    ["nodes", 1],
    "empty_loop",
  );
  refused("with a loop of more than 500 items", inRow(loop("l", 501)), ["nodes", 1, "config", "limit"], "too_big");
  refused(
    "with a loop without a limit",
    inRow({ id: "l", type: "loop", config: { items: [] } }),
    ["nodes", 1, "config", "limit"],
    "missing",
  );
  refused(
    "with two edges of one way",
    {
      nodes: [trigger, end, { ...end, id: "other" }],
      edges: [
        { from: "start", to: "end" },
        { from: "start", to: "other" },
      ],
    },
    ["edges", 1, "when"],
    "duplicate_edge",
  );
  refused(
    "with an edge after a return",
    {
      nodes: [trigger, end, { ...end, id: "other" }],
      edges: [
        { from: "start", to: "end" },
        { from: "end", to: "other" },
      ],
    },
    ["edges", 1, "when"],
    "unknown_way",
  );
  refused(
    "with an edge to the trigger",
    {
      nodes: [trigger, assign("a")],
      edges: [
        { from: "start", to: "a" },
        { from: "a", to: "start" },
      ],
    },
    ["edges", 1, "to"],
    "unknown_way",
  );
  refused(
    "with an unknown function",
    inRow({ id: "f", type: "function", config: { function_name: "gone.py" } }),
    ["nodes", 1, "config", "function_name"],
    "unknown_function",
  );
  refused(
    "with two names of a function",
    inRow({ id: "f", type: "function", config: { function_name: "score.py", function_id: "x" } }),
    ["nodes", 1, "config"],
    "custom",
  );
  refused(
    "with an unknown object",
    inRow({ id: "c", type: "create_record", config: { object: "leed", values: {} } }),
    ["nodes", 1, "config", "object"],
    "unknown_object",
  );
  refused(
    "with an unknown field",
    inRow({ id: "c", type: "create_record", config: { object: "lead", values: { nam: "x" } } }),
    ["nodes", 1, "config", "values", "nam"],
    "unknown_field",
  );
  refused(
    "with a field of the platform",
    inRow({ id: "c", type: "create_record", config: { object: "lead", values: { created_by: "x" } } }),
    ["nodes", 1, "config", "values", "created_by"],
    "read_only_field",
  );
  refused(
    "with a trigger of an unknown object",
    {
      nodes: [{ id: "start", type: "trigger", config: { kind: "record", object: "x", events: ["after_create"] } }, end],
      edges: [{ from: "start", to: "end" }],
    },
    ["nodes", 0, "config", "object"],
    "unknown_object",
  );
  refused(
    "with a trigger of an object that has none",
    {
      nodes: [
        { id: "start", type: "trigger", config: { kind: "record", object: "log", events: ["after_create"] } },
        end,
      ],
      edges: [{ from: "start", to: "end" }],
    },
    ["nodes", 0, "config", "object"],
    "no_triggers",
  );
  refused(
    "with a name that no configuration has",
    inRow({ id: "r", type: "query", config: { sql: "SELECT id FROM lead", limit: 5 } }),
    ["nodes", 1, "config", "limit"],
    "extra_forbidden",
  );
  refused(
    "with an expression beside other keys",
    inRow(assign("a", { total: { "=": "1", x: 2 } })),
    ["nodes", 1, "config", "values", "total", "="],
    "expression",
  );
  refused(
    "with a variable that nothing assigns",
    inRow(assign("a", { total: { "=": "vars.totl" } })),
    ["nodes", 1, "config", "values", "total", "="],
    "unknown_field",
  );
  refused(
    "with a node that runs later",
    inRow(assign("a", { total: { "=": "nodes.q" } }), {
      id: "q",
      type: "query",
      config: { sql: "SELECT id FROM lead" },
    }),
    ["nodes", 1, "config", "values", "total", "="],
    "unknown_field",
  );
  refused(
    "with an item outside of loops",
    inRow(assign("a", { total: { "=": "item" } })),
    ["nodes", 1, "config", "values", "total", "="],
    "unknown_name",
  );
  refused(
    "with an error where none can be",
    inRow(assign("a", { total: { "=": "error.message" } })),
    ["nodes", 1, "config", "values", "total", "="],
    "unknown_name",
  );
  refused(
    "with a condition that is a text",
    inRow(condition("'yes'")),
    ["nodes", 1, "config", "expression"],
    "rule_type",
  );
  refused(
    "with more than 200 nodes",
    { nodes: Array.from({ length: 201 }, (_, index) => assign(`a${index}`)), edges: [] },
    ["nodes"],
    "too_many_nodes",
  );
  refused(
    "with more than 256 KiB of JSON",
    inRow(assign("a", { total: "x".repeat(256 * 1024) })),
    ["nodes"],
    "too_large",
  );
  refused("with a node that is no object", { nodes: ["x"], edges: [] }, ["nodes", 0], "invalid_type");
  refused("with an id that expressions cannot write", inRow(assign("a-b")), ["nodes", 1, "id"], "invalid_format");

  it("with line, column and node of a wrong expression", () => {
    const [issue] = issuesIn(inRow(assign("a", { total: { "=": "1 +\n  nope" } })));
    expect(issue).toMatchObject({ type: "unknown_name", ctx: { node: "a", line: 2, column: 3 } });
    expect(issue?.msg).toMatch(/^Line 2, column 3: There is no "nope" here/);
  });

  it("with nesting beyond three loops", () => {
    const ids = ["l1", "l2", "l3", "l4"];
    const into = ids.slice(1).map((id, index) => ({ from: ids[index], to: id, when: "each" }));
    const back = ids.slice(1).map((id, index) => ({ from: id, to: ids[index], when: "done" }));
    const nodes = [trigger, ...ids.map((id) => loop(id)), assign("a"), end];
    const edges = [
      { from: "start", to: "l1" },
      ...into,
      ...back,
      { from: "l4", to: "a", when: "each" },
      { from: "a", to: "l4" },
      { from: "l1", to: "end", when: "done" },
    ];
    expect(issuesIn({ nodes, edges })).toContainEqual(expect.objectContaining({ type: "loop_depth" }));
  });

  it("with a value that nests too deep", () => {
    let value: unknown = 1;
    for (let level = 0; level < 12; level += 1) value = [value];
    expect(issuesIn(inRow(assign("a", { total: value })))).toContainEqual(
      expect.objectContaining({ type: "value_too_deep" }),
    );
  });
});

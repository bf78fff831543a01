import fc from "fast-check";
import { expect, test } from "vitest";
import {
  advance,
  type NodeResult,
  type Position,
  parseDefinition,
  programOf,
} from "#shared/data/schema/automations/automations";
import { propertyRuns } from "../../../../setup/property-runs.ts";
import { type Drawing, issuesIn } from "./definitions.ts";

const configs: Readonly<Record<string, object>> = {
  trigger: { kind: "manual" },
  condition: { expression: "inputs.yes" },
  loop: { items: { "=": "inputs.list" }, limit: 3 },
  assign: { values: { x: 1 } },
  query: { sql: "SELECT id FROM lead" },
  return: {},
};

/** A program of blocks, of which an accepted graph is drawn. */
type Statement =
  | { readonly type: "assign" | "query" | "return" }
  | { readonly type: "condition"; readonly yes: readonly Statement[]; readonly no: readonly Statement[] }
  | { readonly type: "loop"; readonly body: readonly Statement[] };

const statements = fc.letrec<{ block: Statement[]; statement: Statement }>((tie) => ({
  block: fc.array(tie("statement"), { minLength: 1, maxLength: 3, depthIdentifier: "block" }),
  statement: fc.oneof(
    { maxDepth: 3, depthIdentifier: "block" },
    { weight: 3, arbitrary: fc.record({ type: fc.constantFrom("assign" as const, "query" as const) }) },
    { weight: 1, arbitrary: fc.constant({ type: "return" as const }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("loop" as const), body: tie("block") }) },
    {
      weight: 2,
      arbitrary: fc.record({ type: fc.constant("condition" as const), yes: tie("block"), no: tie("block") }),
    },
  ),
}));

const drawn = (block: readonly Statement[]): Drawing => {
  const nodes: Record<string, unknown>[] = [];
  const edges: Record<string, unknown>[] = [];
  const add = (type: string): string => {
    const id = `n${nodes.length}`;
    nodes.push({ id, type, config: configs[type] });
    return id;
  };
  const connect = (from: string, to: string, when?: unknown): void => {
    edges.push({ from, to, ...(when === undefined ? {} : { when }) });
  };
  /** The id of the first node of statements after which `after` follows. */
  const draw = ([first, ...rest]: readonly Statement[], after: string): string => {
    if (first === undefined) return after;
    const id = add(first.type);
    if (first.type === "return") return id;
    const next = draw(rest, after);
    if (first.type === "condition") {
      connect(id, draw(first.yes, next), true);
      connect(id, draw(first.no, next), false);
    } else if (first.type === "loop") {
      connect(id, draw(first.body, id), "each");
      connect(id, next, "done");
    } else connect(id, next);
    return id;
  };
  const start = add("trigger");
  connect(start, draw(block, add("return")));
  const reached = new Set(edges.map(({ to }) => to));
  return { nodes: nodes.filter(({ id }) => id === start || reached.has(id)), edges };
};

interface Rewiring {
  readonly edge: number;
  readonly to: number;
  /** Whether it is another edge, for errors. */
  readonly forErrors: boolean;
}

const rewired = ({ nodes, edges }: Drawing, { edge, to, forErrors }: Rewiring): Drawing => {
  const index = edge % edges.length;
  const target = nodes[to % nodes.length]?.id;
  if (forErrors) return { nodes, edges: [...edges, { from: edges[index]?.from, to: target, when: "error" }] };
  return { nodes, edges: edges.map((each, at) => (at === index ? { ...each, to: target } : each)) };
};

const rewirings = fc.array(fc.record({ edge: fc.nat(50), to: fc.nat(50), forErrors: fc.boolean() }), { maxLength: 3 });

const drawings: fc.Arbitrary<Drawing> = fc
  .tuple(statements.block, rewirings)
  .map(([block, changes]) => changes.reduce(rewired, drawn(block)));

/** Answers of nodes, chosen without any regard to their order. */
const choices = fc.infiniteStream(fc.nat({ max: 3 }));

/** The nodes that a run visits, or null if it does not end within the bound. */
const visits = (drawing: Drawing, choose: Iterator<number>): string[] | null => {
  const program = programOf(parseDefinition(drawing));
  const visited: string[] = [];
  let position: Position | null = { node: program.start, frames: [] };
  // Loops nest three levels and have three items.
  const bound = drawing.nodes.length * 4 ** 3;
  while (position !== null) {
    if (visited.length > bound) return null;
    visited.push(position.node);
    const choice = Number(choose.next().value);
    const { type } = program.node(position.node);
    const result: NodeResult =
      choice === 3 && program.leads(position.node, "error") !== undefined
        ? { way: "error" }
        : type === "condition"
          ? { way: choice > 0 }
          : type === "loop"
            ? { items: Array.from({ length: choice }, (_, index) => index) }
            : { way: "next" };
    position = advance(program, position, result);
  }
  return visited;
};

test("a run of an accepted automation ends at a return", () => {
  let accepted = 0;
  fc.assert(
    fc.property(drawings, choices, (drawing, choose) => {
      if (issuesIn(drawing).length > 0) return;
      accepted += drawing.nodes.some(({ type }) => type === "loop") ? 1 : 0;
      const visited = visits(drawing, choose[Symbol.iterator]());
      expect(visited).not.toBeNull();
      const last = drawing.nodes.find(({ id }) => id === visited?.at(-1));
      expect(last?.type).toBe("return");
    }),
    propertyRuns(2_000),
  );
  expect(accepted).toBeGreaterThan(20);
});

test("whatever is stored as nodes and edges is checked without an exception", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (nodes, edges) => {
      expect(Array.isArray(issuesIn({ nodes, edges }))).toBe(true);
    }),
    propertyRuns(800),
  );
});

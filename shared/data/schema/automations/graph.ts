import { type AutomationEdge, automationLimits, type NodeType, type Way } from "#contracts/automation-definition";
import type { Issue } from "#shared/foundation/faults";
import type { AutomationNode, Definition, ParsedDefinition } from "./definition.ts";

/** The ways that must lead on from a node, and those that may. */
const waysOf = (type: NodeType): { readonly needed: readonly Way[]; readonly allowed: readonly Way[] } => {
  switch (type) {
    case "trigger":
      return { needed: ["next"], allowed: [] };
    case "condition":
      return { needed: [true, false], allowed: ["error"] };
    case "loop":
      return { needed: ["each", "done"], allowed: ["error"] };
    case "return":
      return { needed: [], allowed: [] };
    default:
      return { needed: ["next"], allowed: ["error"] };
  }
};

const wayOf = ({ when }: AutomationEdge): Way => when ?? "next";

/** The node to which each way leads, by the node it leads from. */
export type Ways = ReadonlyMap<string, ReadonlyMap<Way, string>>;

export const waysBetween = ({ edges }: Pick<Definition, "edges">): Ways => {
  const ways = new Map<string, Map<Way, string>>();
  for (const edge of edges) {
    const from = ways.get(edge.from) ?? new Map<Way, string>();
    from.set(wayOf(edge), edge.to);
    ways.set(edge.from, from);
  }
  return ways;
};

/** `when: true`, or words for an edge without `when`. */
const written = (way: Way): string =>
  way === "next" ? "an edge without when" : `an edge with when: ${JSON.stringify(way)}`;

const edgeIssues = (definition: ParsedDefinition): Issue[] => {
  const types = new Map(definition.nodes.map(({ id, type }) => [id, type]));
  const taken = new Set<string>();
  const issues: Issue[] = [];
  const report = (index: number, part: string, msg: string, type: string): void => {
    issues.push({ loc: ["edges", index, part], msg, type });
  };
  for (const [index, edge] of definition.edges.entries()) {
    const unknown = (["from", "to"] as const).filter((end) => !definition.positions.has(edge[end]));
    for (const end of unknown) report(index, end, `There is no node "${edge[end]}".`, "unknown_node");
    if (types.get(edge.to) === "trigger") report(index, "to", "No edge leads to the trigger.", "unknown_way");
    const key = JSON.stringify([edge.from, wayOf(edge)]);
    if (taken.has(key)) report(index, "when", `"${edge.from}" has ${written(wayOf(edge))} already.`, "duplicate_edge");
    taken.add(key);
    const type = types.get(edge.from);
    if (type === undefined) continue;
    const { needed, allowed } = waysOf(type);
    if ([...needed, ...allowed].includes(wayOf(edge))) continue;
    report(index, "when", `A node of type ${type} cannot have ${written(wayOf(edge))}.`, "unknown_way");
  }
  return issues;
};

const at = ({ positions }: ParsedDefinition, id: string): Issue["loc"] => ["nodes", positions.get(id) ?? 0];

const deadEndIssues = (definition: ParsedDefinition, ways: Ways): Issue[] =>
  definition.nodes.flatMap((node) => {
    const missing = waysOf(node.type).needed.filter((way) => ways.get(node.id)?.has(way) !== true);
    const needs = missing.map(written).join(" and ");
    return missing.length === 0
      ? []
      : [{ loc: at(definition, node.id), msg: `"${node.id}" is a dead end: it needs ${needs}.`, type: "dead_end" }];
  });

/** The loops that a node is in, the innermost last. Empty for nodes outside of loops. */
export type Loops = ReadonlyMap<string, readonly string[]>;

interface Walk {
  readonly definition: ParsedDefinition;
  readonly types: ReadonlyMap<string, NodeType>;
  readonly ways: Ways;
  readonly loops: Map<string, readonly string[]>;
  /** The nodes on the path that is being followed. */
  readonly path: Set<string>;
  readonly issues: Issue[];
}

const report = (walk: Walk, id: string, msg: string, type: string): void => {
  const loc = at(walk.definition, id);
  if (!walk.issues.some((issue) => issue.msg === msg)) walk.issues.push({ loc, msg, type });
};

const follow = (walk: Walk, from: string, way: Way, to: string): void => {
  const around = walk.loops.get(from) ?? [];
  const inside = way === "each" ? [...around, from] : around;
  if (to === inside.at(-1)) {
    if (way === "each") report(walk, from, `The loop "${from}" has no nodes.`, "empty_loop");
    return;
  }
  if (inside.includes(to)) {
    report(
      walk,
      from,
      `"${from}" leads out of the loop "${inside.at(-1)}": lead back to that loop first.`,
      "unbounded_loop",
    );
    return;
  }
  if (walk.path.has(to)) {
    const msg = `"${from}" leads back to "${to}" without end. Only a node of type loop repeats others.`;
    report(walk, from, msg, "unbounded_loop");
    return;
  }
  const known = walk.loops.get(to);
  if (known === undefined) visit(walk, to, inside);
  else if (known.join() !== inside.join()) {
    const loop = [...known, ...inside].find((id) => known.includes(id) !== inside.includes(id)) ?? to;
    report(walk, to, `"${to}" is reached inside and outside of the loop "${loop}".`, "unbounded_loop");
  }
};

const visit = (walk: Walk, id: string, inside: readonly string[]): void => {
  if (!walk.types.has(id)) return;
  walk.loops.set(id, inside);
  if (inside.length > automationLimits.loopDepth) {
    report(walk, id, `Loops may nest at most ${automationLimits.loopDepth} levels.`, "loop_depth");
    return;
  }
  walk.path.add(id);
  for (const [way, to] of walk.ways.get(id) ?? []) follow(walk, id, way, to);
  walk.path.delete(id);
};

const triggerIssues = (triggers: readonly AutomationNode[], definition: ParsedDefinition): Issue[] => {
  if (triggers.length === 0)
    return [{ loc: ["nodes"], msg: "An automation needs a node of type trigger.", type: "no_trigger" }];
  return triggers
    .slice(1)
    .map(({ id }) => ({ loc: at(definition, id), msg: "An automation has one trigger.", type: "second_trigger" }));
};

/**
 * Everything that is wrong with the way the nodes are connected. In what is accepted, every path ends at a node of type
 * return: nodes repeat within a node of type loop only, which counts its items.
 */
export const graphIssues = (definition: ParsedDefinition): { issues: readonly Issue[]; loops: Loops } => {
  const ways = waysBetween(definition);
  const triggers = definition.nodes.filter(({ type }) => type === "trigger");
  const types = new Map(definition.nodes.map(({ id, type }) => [id, type]));
  const walk: Walk = { definition, types, ways, loops: new Map(), path: new Set(), issues: [] };
  const [trigger] = triggers;
  if (trigger !== undefined) visit(walk, trigger.id, []);
  // A node that was not read may be the way to others.
  const isWhole = definition.nodes.length === definition.positions.size;
  const unreachable = definition.nodes.filter(({ id, type }) => isWhole && type !== "trigger" && !walk.loops.has(id));
  const issues = [
    ...triggerIssues(triggers, definition),
    ...edgeIssues(definition),
    ...(isWhole ? deadEndIssues(definition, ways) : []),
    ...walk.issues,
    ...(trigger === undefined
      ? []
      : unreachable.map(({ id }) => ({
          loc: at(definition, id),
          msg: `No edge leads to "${id}".`,
          type: "unreachable",
        }))),
  ];
  return { issues: isWhole ? issues : issues.filter(({ type }) => type !== "no_trigger"), loops: walk.loops };
};

import type * as z from "zod";
import {
  type AutomationEdge,
  automationEdge,
  automationLimits,
  automationNode,
  type NodeConfig,
  type NodeType,
  nodeConfigs,
} from "#contracts/automation-definition";
import { didYouMean } from "#shared/foundation/did-you-mean";
import type { Issue } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";

/** A node with the configuration of its type. */
export type AutomationNode = {
  readonly [T in NodeType]: {
    readonly id: string;
    readonly type: T;
    readonly name?: string | undefined;
    readonly config: NodeConfig<T>;
  };
}[NodeType];

/** What the `nodes` and `edges` of an automation say. */
export interface Definition {
  readonly nodes: readonly AutomationNode[];
  readonly edges: readonly AutomationEdge[];
}

const nodeTypes = Object.keys(nodeConfigs) as NodeType[];

const isNodeType = (type: string): type is NodeType => Object.hasOwn(nodeConfigs, type);

const issuesOf = (error: z.ZodError, at: Issue["loc"]): Issue[] =>
  error.issues.flatMap((issue): Issue[] => {
    const loc = [...at, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: "This name is not known here.",
        type: "extra_forbidden",
      }));
    }
    const missing = issue.code === "invalid_type" && issue.input === undefined;
    return [{ loc, msg: missing ? "This value is required." : issue.message, type: missing ? "missing" : issue.code }];
  });

const unknownType = (type: string, at: Issue["loc"]): Issue => {
  const meant = didYouMean(type, nodeTypes);
  const hint = meant === undefined ? `Expected one of ${nodeTypes.join(", ")}.` : `Did you mean "${meant}"?`;
  return {
    loc: [...at, "type"],
    msg: `There is no node type "${type.slice(0, 80)}". ${hint}`,
    type: "unknown_node_type",
  };
};

const parseNode = (stored: unknown, at: Issue["loc"], issues: Issue[]): AutomationNode | undefined => {
  const node = automationNode.safeParse(stored, { reportInput: true });
  if (!node.success) {
    issues.push(...issuesOf(node.error, at));
    return undefined;
  }
  const { id, type, name, config } = node.data;
  if (!isNodeType(type)) {
    issues.push(unknownType(type, at));
    return undefined;
  }
  const parsed = nodeConfigs[type].safeParse(config, { reportInput: true });
  if (!parsed.success) {
    issues.push(...issuesOf(parsed.error, [...at, "config"]));
    return undefined;
  }
  // The configuration is that of the type.
  return { id, type, name, config: parsed.data } as AutomationNode;
};

const present = (stored: unknown): readonly unknown[] => (Array.isArray(stored) ? stored : []);

/** The id of what may be a node. Edges to nodes that are refused for something else are not refused too. */
const idOf = (stored: unknown): string | undefined =>
  isObject(stored) && typeof stored.id === "string" ? stored.id : undefined;

export interface ParsedDefinition extends Definition {
  readonly issues: readonly Issue[];
  /** Position of each node in `nodes` of the record, by id. */
  readonly positions: ReadonlyMap<string, number>;
}

const tooLarge = (nodes: readonly unknown[], edges: readonly unknown[]): Issue | undefined => {
  const { nodes: most, size } = automationLimits;
  if (nodes.length > most) {
    return { loc: ["nodes"], msg: `An automation may have at most ${most} nodes.`, type: "too_many_nodes" };
  }
  if (JSON.stringify([nodes, edges]).length <= size) return undefined;
  return { loc: ["nodes"], msg: `Nodes and edges may have at most ${size} characters of JSON.`, type: "too_large" };
};

/** Parses nodes and edges. `loc` of the issues begins with `nodes` or `edges`. */
export const parseDefinition = (stored: { readonly nodes?: unknown; readonly edges?: unknown }): ParsedDefinition => {
  const nodes = present(stored.nodes);
  const edges = present(stored.edges);
  const large = tooLarge(nodes, edges);
  if (large !== undefined) return { nodes: [], edges: [], issues: [large], positions: new Map() };
  const issues: Issue[] = [];
  const positions = new Map<string, number>();
  for (const [index, node] of nodes.entries()) {
    const id = idOf(node);
    if (id === undefined) continue;
    if (!positions.has(id)) positions.set(id, index);
    else
      issues.push({
        loc: ["nodes", index, "id"],
        msg: `Two nodes have the id "${id.slice(0, 80)}".`,
        type: "duplicate_node",
      });
  }
  const parsed = nodes.flatMap((node, index) => parseNode(node, ["nodes", index], issues) ?? []);
  const known = edges.flatMap((edge, index) => {
    const { success, data, error } = automationEdge.safeParse(edge, { reportInput: true });
    if (!success) issues.push(...issuesOf(error, ["edges", index]));
    return success ? [data] : [];
  });
  return { nodes: parsed, edges: known, issues, positions };
};

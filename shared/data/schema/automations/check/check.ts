/** What is wrong with an automation. An entry of its own, because it needs the library for expressions. */
import { didYouMean } from "#shared/foundation/did-you-mean";
import type { Issue } from "#shared/foundation/faults";
import type { ObjectSchema } from "../../object-schema.ts";
import { ruleIssue } from "../../rules/rule-issue.ts";
import { expressionProblems, type ScopeNames, type ScopeVariable } from "../../rules/scope.ts";
import { readOnlySystemFields } from "../../system-fields.ts";
import { type AutomationNode, type Definition, type ParsedDefinition, parseDefinition } from "../definition.ts";
import { graphIssues, type Loops } from "../graph.ts";
import { expressionsOf } from "../values.ts";

/** What nodes may name beyond their automation. */
export interface KnownNames {
  /** By api_name. */
  readonly objects: ReadonlyMap<string, ObjectSchema>;
  /** Whether an active function of this file name or id exists. */
  readonly hasFunction: (which: { readonly file_name: string } | { readonly id: string }) => boolean;
  /** Why records of an object cannot start an automation; undefined if they can. */
  readonly refusesTriggers: (object: string, events: readonly string[]) => string | undefined;
}

/** The nodes that may have run before each node. */
const earlierNodes = ({ nodes, edges }: Definition): ReadonlyMap<string, ReadonlySet<string>> => {
  const before = new Map(nodes.map(({ id }) => [id, [] as string[]]));
  for (const { from, to } of edges) before.get(to)?.push(from);
  const reach = (id: string): Set<string> => {
    const found = new Set<string>();
    const left = [...(before.get(id) ?? [])];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      left.push(...(before.get(next) ?? []));
    }
    return found;
  };
  return new Map(nodes.map(({ id }) => [id, reach(id)]));
};

const assignedVariables = (nodes: readonly AutomationNode[]): ReadonlySet<string> => {
  const names = nodes.flatMap((node) => {
    if (node.type === "assign") return Object.keys(node.config.values);
    return node.type === "trigger" ? Object.keys(node.config.variables ?? {}) : [];
  });
  return new Set(names);
};

/** Types of nodes without an output. */
const withoutOutput: ReadonlySet<string> = new Set(["trigger", "assign", "loop", "delay", "return"]);

/** What the expressions of each node may name. */
const scopes = (definition: Definition, loops: Loops): ((id: string) => ScopeNames) => {
  const earlier = earlierNodes(definition);
  const vars = assignedVariables(definition.nodes);
  const silent = new Set(definition.nodes.flatMap(({ id, type }) => (withoutOutput.has(type) ? [id] : [])));
  const afterErrors = definition.edges.flatMap(({ to, when }) => (when === "error" ? [to] : []));
  return (id) => {
    const before = earlier.get(id) ?? new Set<string>();
    const around = loops.get(id) ?? [];
    const hasError = afterErrors.some((to) => to === id || before.has(to));
    const variables: ScopeVariable[] = ["inputs", "vars", "nodes"];
    if (around.length > 0) variables.push("item", "index", "loops");
    if (hasError) variables.push("error");
    const nodes = new Set([...before].filter((each) => !silent.has(each)));
    const fields = new Map([
      ["vars", vars],
      ["nodes", nodes],
      ["loops", new Set(around)],
    ]);
    return { variables, fields };
  };
};

const expressionIssues = (node: AutomationNode, at: Issue["loc"], names: ScopeNames): Issue[] => {
  const { expressions, issues } = expressionsOf(node, at);
  return [
    ...issues,
    ...expressions.flatMap(({ kind, text, loc }) =>
      expressionProblems(kind, text, names).map((problem) => {
        const issue = ruleIssue(loc, text, problem);
        return { ...issue, ctx: { ...issue.ctx, node: node.id } };
      }),
    ),
  ];
};

const unknownObject = (name: string, loc: Issue["loc"], { objects }: KnownNames): Issue => {
  const meant = didYouMean(name, objects.keys());
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return { loc, msg: `There is no object "${name}".${hint}`, type: "unknown_object" };
};

const fieldIssues = ({ properties, api_name }: ObjectSchema, names: readonly string[], at: Issue["loc"]): Issue[] =>
  names.flatMap((name): Issue[] => {
    const loc = [...at, name];
    if (readOnlySystemFields.has(name))
      return [{ loc, msg: `The platform sets "${name}" itself.`, type: "read_only_field" }];
    if (Object.hasOwn(properties, name)) return [];
    const meant = didYouMean(name, Object.keys(properties));
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    return [{ loc, msg: `The object "${api_name}" has no field "${name}".${hint}`, type: "unknown_field" }];
  });

const nameIssues = (node: AutomationNode, at: Issue["loc"], known: KnownNames): Issue[] => {
  const config = [...at, "config"];
  if (node.type === "function") {
    const { function_name, function_id } = node.config;
    const which = function_name === undefined ? { id: function_id ?? "" } : { file_name: function_name };
    const name = function_name === undefined ? "function_id" : "function_name";
    if (known.hasFunction(which)) return [];
    const msg = `There is no active function "${function_name ?? function_id}".`;
    return [{ loc: [...config, name], msg, type: "unknown_function" }];
  }
  if (node.type === "trigger") {
    if (node.config.kind !== "record") return [];
    const loc = [...config, "object"];
    if (!known.objects.has(node.config.object)) return [unknownObject(node.config.object, loc, known)];
    const refused = known.refusesTriggers(node.config.object, node.config.events);
    return refused === undefined ? [] : [{ loc, msg: refused, type: "no_triggers" }];
  }
  if (node.type !== "create_record" && node.type !== "update_record") return [];
  const schema = known.objects.get(node.config.object);
  if (schema === undefined) return [unknownObject(node.config.object, [...config, "object"], known)];
  return fieldIssues(schema, Object.keys(node.config.values), [...config, "values"]);
};

/** Everything that is wrong with a parsed definition. `loc` begins with `nodes` or `edges`. */
const automationIssues = (definition: ParsedDefinition, known: KnownNames): Issue[] => {
  const { issues, loops } = graphIssues(definition);
  const scopeOf = scopes(definition, loops);
  const ofNodes = definition.nodes.flatMap((node) => {
    const at = ["nodes", definition.positions.get(node.id) ?? 0];
    return [...nameIssues(node, at, known), ...expressionIssues(node, at, scopeOf(node.id))];
  });
  return [...definition.issues, ...issues, ...ofNodes];
};

/** As `automationIssues`, of nodes and edges as they are stored. */
export const issuesOfStored = (stored: { nodes?: unknown; edges?: unknown }, known: KnownNames): Issue[] =>
  automationIssues(parseDefinition(stored), known);

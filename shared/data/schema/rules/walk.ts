import { didYouMean } from "#shared/foundation/did-you-mean";
import { inspectCall, inspectMethod, isComprehension } from "./calls.ts";
import { type Edit, isNullTest, nullTestEdit } from "./edits.ts";
import { ruleLimits } from "./limits.ts";
import type { RuleProblem, Span } from "./rule-issue.ts";
import { childrenOf, literalOf, type Node, type Of } from "./syntax.ts";
import type { RecordTypes } from "./values.ts";

/** The variables and fields that a condition can name. */
export interface Names {
  readonly variables: readonly string[];
  /** The fields of `record` and `old`; null where these have fields that are not known, or do not exist. */
  readonly record: RecordTypes | null;
  /** Those of `record` that conditions cannot use. */
  readonly encrypted: ReadonlySet<string>;
  /** Of other variables, those whose fields are known. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Walked {
  readonly problems: RuleProblem[];
  /** For the compiler. Each keeps the length of the condition. */
  readonly edits: Edit[];
  /** The fields of `record` and `old` that the condition reads. */
  readonly fields: Set<string>;
  /** The nodes of the largest predicate of a comprehension. */
  predicateNodes: number;
}

/** The comprehension that a node is in. */
export interface Comprehension {
  readonly variable: string;
  uses: number;
  /** Comprehensions do not nest, but the names in one that does are not reported. */
  readonly outer: Comprehension | null;
}

export interface Walk extends Walked {
  readonly condition: string;
  readonly names: Names;
  report(at: Span, type: RuleProblem["type"], sentence: string, meant?: string): void;
}

const inspectName = (walk: Walk, node: Of<"id">, inside: Comprehension | null): void => {
  const name = node.args;
  for (let around = inside; around !== null; around = around.outer) {
    if (name !== around.variable) continue;
    around.uses += 1;
    return;
  }
  const { variables, record } = walk.names;
  if (variables.includes(name)) return;
  const known = inside === null ? variables : [...variables, inside.variable];
  const meant = record?.has(name) ? `record.${name}` : didYouMean(name, known);
  walk.report(node, "unknown_name", `There is no "${name}" here: a condition has ${variables.join(", ")}.`, meant);
};

const isRecordVariable = ({ record }: Names, name: string): boolean =>
  record !== null && (name === "record" || name === "old");

/** Whether the variable has fields of its own, whose names are literals in conditions. */
const hasFields = (names: Names, name: string): boolean => isRecordVariable(names, name) || names.fields.has(name);

const inspectField = (walk: Walk, owner: Node, name: string, at: Span): void => {
  if (owner.op !== "id") return;
  const { record, encrypted, fields } = walk.names;
  if (record !== null && isRecordVariable(walk.names, owner.args)) {
    walk.fields.add(name);
    if (encrypted.has(name)) {
      walk.report(at, "rule_unsupported", `The field "${name}" is encrypted. A condition cannot use it.`);
    }
    if (record.has(name)) return;
    walk.report(at, "unknown_field", `The object has no field "${name}".`, didYouMean(name, record.keys()));
    return;
  }
  const known = fields.get(owner.args);
  if (known === undefined || known.has(name)) return;
  walk.report(at, "unknown_field", `"${owner.args}" has no field "${name}".`, didYouMean(name, known));
};

const inspectValue = (walk: Walk, node: Of<"value">): void => {
  if (node.args === null) walk.report(node, "rule_type", "null can only be compared, with == and !=.");
  else if (typeof node.args === "object") {
    walk.report(node, "rule_unsupported", "A condition has no bytes and no unsigned integers.");
  }
};

const inspect = (walk: Walk, node: Node, inside: Comprehension | null): void => {
  switch (node.op) {
    case "value":
      inspectValue(walk, node);
      break;
    case "id":
      inspectName(walk, node, inside);
      break;
    case ".": {
      const [owner, name] = node.args;
      inspectField(walk, owner, name, { start: node.end - name.length, end: node.end });
      break;
    }
    case "[]": {
      const [owner, index] = node.args;
      const name = literalOf(index);
      if (typeof name === "string") inspectField(walk, owner, name, index);
      else if (owner.op === "id" && hasFields(walk.names, owner.args)) {
        walk.report(index, "rule_type", `Write the name of the field, as in ${owner.args}.name.`);
      }
      break;
    }
    case "call":
      inspectCall(walk, node);
      break;
    case "rcall":
      inspectMethod(walk, node, inside);
      break;
    case "map":
    case ".?":
    case "[?]":
      walk.report(node, "rule_unsupported", "A condition has no maps and no optional values.");
      break;
    default:
      break;
  }
};

const visitNullTest = (walk: Walk, node: Of<"==" | "!=">, inside: Comprehension | null): void => {
  const edit = nullTestEdit(walk.condition, node);
  if (edit === undefined) {
    walk.report(node, "rule_syntax", "Compare a field with null without parentheses, as in record.name == null.");
  } else walk.edits.push(edit);
  const operand = node.args.find((each) => literalOf(each) !== null);
  if (operand !== undefined) visit(walk, operand, inside);
};

const sum = (left: number, right: number): number => left + right;

const nodesOf = (node: Node): number => childrenOf(node).map(nodesOf).reduce(sum, 1);

const visitComprehension = (walk: Walk, node: Of<"rcall">, inside: Comprehension | null): void => {
  const [, range, [variable, ...body]] = node.args;
  visit(walk, range, inside);
  if (variable?.op !== "id") return;
  if (walk.names.variables.includes(variable.args)) {
    walk.report(variable, "unknown_name", `"${variable.args}" has a meaning already; name the variable otherwise.`);
  }
  const own: Comprehension = { variable: variable.args, uses: 0, outer: inside };
  for (const each of body) visit(walk, each, own);
  walk.predicateNodes = Math.max(walk.predicateNodes, body.map(nodesOf).reduce(sum, 0));
  if (own.uses <= ruleLimits.variableUses) return;
  const sentence = `"${own.variable}" may be used at most ${ruleLimits.variableUses} times.`;
  walk.report(node, "rule_too_complex", sentence);
};

const visit = (walk: Walk, node: Node, inside: Comprehension | null): void => {
  if (isNullTest(node)) {
    visitNullTest(walk, node, inside);
    return;
  }
  inspect(walk, node, inside);
  if (isComprehension(node)) visitComprehension(walk, node, inside);
  else for (const child of childrenOf(node)) visit(walk, child, inside);
};

/** Finds everything that is wrong with a condition apart from types, which the library checks. */
export const walkCondition = (condition: string, root: Node, names: Names): Walked => {
  const problems: RuleProblem[] = [];
  const walk: Walk = {
    condition,
    names,
    problems,
    edits: [],
    fields: new Set(),
    predicateNodes: 0,
    report: (at, type, sentence, meant) => {
      problems.push({ at: { start: at.start, end: at.end }, type, sentence, didYouMean: meant });
    },
  };
  visit(walk, root, null);
  return walk;
};

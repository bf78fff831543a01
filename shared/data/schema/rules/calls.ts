import { didYouMean } from "#shared/foundation/did-you-mean";
import { isTimeZone } from "#shared/foundation/time-zone";
import { methodEdit } from "./edits.ts";
import { calendarMethods, comprehensions, globalFunctions, methods, patternOf, replacedMethods } from "./functions.ts";
import { ruleLimits } from "./limits.ts";
import { childrenOf, literalOf, type Node, type Of } from "./syntax.ts";
import { dayOf } from "./values.ts";
import type { Comprehension, Walk } from "./walk.ts";

export const isComprehension = (node: Node): node is Of<"rcall"> =>
  node.op === "rcall" && Object.hasOwn(comprehensions, node.args[0]);

const containsComprehension = (node: Node): boolean =>
  isComprehension(node) || childrenOf(node).some(containsComprehension);

const inspectCount = (walk: Walk, node: Of<"call" | "rcall">, counts: readonly number[], given: number): void => {
  if (counts.includes(given)) return;
  const expected = `${counts.join(" or ")} argument${counts.join() === "1" ? "" : "s"}`;
  walk.report(node, "rule_type", `"${node.args[0]}" takes ${expected}, not ${given}.`);
};

/** Literals that no record would make valid. */
const inspectMoment = (walk: Walk, name: string, argument: Node | undefined): void => {
  const text = literalOf(argument);
  if (argument === undefined || typeof text !== "string") return;
  if (name === "date" && typeof dayOf(text) === "string") {
    walk.report(argument, "rule_type", "Expected a date as YYYY-MM-DD.");
  }
  if (name === "timestamp" && (text.length < 20 || text.length > 30 || Number.isNaN(Date.parse(text)))) {
    walk.report(argument, "rule_type", "Expected a date and time such as 2026-01-31T09:30:00Z.");
  }
};

const DURATION = /^[+-]?(?:\d{1,10}(?:\.\d{1,9})?(?:ns|us|ms|s|m|h)){1,6}$/;

const isDuration = (text: unknown): boolean => typeof text === "string" && DURATION.test(text);

/** Reports calls of unknown functions, and arguments that must have a form that types do not express. */
export const inspectCall = (walk: Walk, node: Of<"call">): void => {
  const [name, given] = node.args;
  const counts = Object.hasOwn(globalFunctions, name) ? globalFunctions[name] : undefined;
  if (counts === undefined) {
    const meant = didYouMean(name, Object.keys(globalFunctions));
    walk.report(node, "unknown_function", `There is no function "${name}".`, meant);
    return;
  }
  inspectCount(walk, node, counts, given.length);
  const [first] = given;
  if (name === "has" && first !== undefined && first.op !== ".") {
    walk.report(first, "rule_type", '"has" takes a field, as in has(record.name).');
  }
  inspectMoment(walk, name, first);
  // The library takes cubic time to parse a long duration.
  if (name === "duration" && !isDuration(literalOf(first))) {
    walk.report(node, "rule_type", 'The argument of "duration" must be a text such as "24h" or "1h30m".');
  }
};

const inspectPattern = (walk: Walk, node: Of<"rcall">, argument: Node | undefined): void => {
  const pattern = literalOf(argument);
  const at = argument ?? node;
  if (typeof pattern !== "string") {
    walk.report(at, "rule_type", 'The pattern of "matches" must be a text in quotes.');
    return;
  }
  if (pattern.length > ruleLimits.patternLength) {
    walk.report(at, "rule_too_complex", `A pattern may have at most ${ruleLimits.patternLength} characters.`);
    return;
  }
  try {
    const { size } = patternOf(pattern);
    if (size > ruleLimits.patternSize) walk.report(at, "rule_too_complex", "This pattern is too complex.");
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    walk.report(at, "rule_syntax", `This is no regular expression of RE2: ${reason}.`);
  }
};

const inspectTimeZone = (walk: Walk, zone: Node | undefined, inside: Comprehension | null): void => {
  if (zone === undefined) return;
  const name = literalOf(zone);
  if (!isTimeZone(name)) {
    walk.report(zone, "rule_type", 'The time zone must be a text in quotes, such as "Europe/Berlin".');
  }
  if (inside !== null) walk.report(zone, "rule_too_complex", "A time zone cannot be used for each element of a list.");
};

const inspectComprehension = (walk: Walk, node: Of<"rcall">, inside: Comprehension | null): void => {
  const [name, range, [variable]] = node.args;
  // In a row they could double a text with each step.
  if (inside !== null || containsComprehension(range)) {
    walk.report(node, "rule_too_complex", `"${name}" cannot stand inside or behind another comprehension.`);
  }
  if (variable?.op !== "id") {
    walk.report(variable ?? node, "rule_syntax", `The first argument of "${name}" must be the name of a variable.`);
  }
};

export const inspectMethod = (walk: Walk, node: Of<"rcall">, inside: Comprehension | null): void => {
  const [name, , given] = node.args;
  const counts = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (counts === undefined) {
    const meant = didYouMean(name, Object.keys(methods));
    walk.report(node, "unknown_function", `There is no method "${name}".`, meant);
    return;
  }
  inspectCount(walk, node, counts, given.length);
  if (isComprehension(node)) inspectComprehension(walk, node, inside);
  if (name === "matches") inspectPattern(walk, node, given[0]);
  if (Object.hasOwn(calendarMethods, name)) inspectTimeZone(walk, given[0], inside);
  if (!Object.hasOwn(replacedMethods, name)) return;
  const edit = methodEdit(walk.condition, node);
  if (edit === undefined) walk.report(node, "rule_syntax", `There cannot be a comment before "${name}".`);
  else walk.edits.push(edit);
};

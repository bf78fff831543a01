import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { conditionIssues } from "#shared/data/schema/rules/condition-issues";
import { globalFunctions, methods } from "#shared/data/schema/rules/functions";
import { EVALUATION_BUDGET, PREDICATE_NODE_UNITS, ruleLimits } from "#shared/data/schema/rules/limits";
import { userTypes } from "#shared/data/schema/rules/values";
import { standardSchemas } from "#shared/data/schema/schema";

const page = readFileSync(new URL("../../../../../docs/validation-rules.md", import.meta.url), "utf8");

const block = /```cel\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
const examples = block.trim().split("\n\n");

const invoice = standardSchemas().find(({ api_name }) => api_name === "invoice");

describe("the page about validation rules", () => {
  it("has ten examples", () => expect(examples).toHaveLength(10));

  test.each(examples)("the example %s fits the object invoice", (example) => {
    expect(invoice && conditionIssues(invoice, () => [], example, [])).toEqual([]);
  });

  test.each([...Object.keys(globalFunctions), ...Object.keys(methods)])("describes the function %s", (name) => {
    expect(page).toMatch(new RegExp(`[\`.]${name}[\`(]`));
  });

  test.each(Object.keys(userTypes))("names the field %s of user", (name) => expect(page).toContain(`\`${name}\``));

  it("states the limits of the code", () => {
    const { perObject, conditionLength, nodes, depth, listElements, patternLength, variableUses } = ruleLimits;
    const english = (limit: number) => limit.toLocaleString("en-US");
    for (const row of [
      `Rules of an object | ${perObject}`,
      `Characters of a condition | ${english(conditionLength)}`,
      `Operators, names and values | ${nodes}`,
      `Nested levels | ${depth}`,
      `Elements of a list in a condition | ${listElements}`,
      `Characters of a pattern | ${patternLength}`,
      `Uses of the variable of a comprehension | ${variableUses}`,
    ]) {
      expect(page).toContain(row);
    }
    expect(page).toContain(`${english(EVALUATION_BUDGET)} characters and elements`);
    expect(page.replaceAll("\n", " ")).toContain(`costs ${PREDICATE_NODE_UNITS} for each element`);
  });
});

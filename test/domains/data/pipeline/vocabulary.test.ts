import { describe, expect, it } from "vitest";
import operators from "../../../../infra/local/mongo/foundation/operators.json" with { type: "json" };
import allowed from "../../../../shared/data/pipeline/allowed-operators.json" with { type: "json" };
import { confined, sourceOf } from "./confined.ts";

const lead = sourceOf("lead", ["name"]);

type Kind = "stages" | "expressions" | "accumulators" | "window" | "query";

/** A pipeline with the operator at a position for its kind. The operand is rarely valid. */
const places: Readonly<Record<Kind, (name: string) => unknown[]>> = {
  stages: (name) => [{ $match: {} }, { [name]: "x" }],
  expressions: (name) => [{ $addFields: { x: [{ [name]: ["$name"] }] } }],
  accumulators: (name) => [{ $group: { _id: null, x: { [name]: "$name" } } }],
  window: (name) => [{ $setWindowFields: { sortBy: { name: 1 }, output: { x: { [name]: {} } } } }],
  query: (name) => [{ $match: name.startsWith("$") ? { name: { [name]: [{}] } } : {} }],
};

const refusal = (pipeline: unknown[]): string => {
  try {
    confined([lead], pipeline);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

const kinds = Object.keys(places) as Kind[];
const all = kinds.flatMap((kind) =>
  operators[kind].map((name) => ({ kind, name, isAllowed: allowed[kind].includes(name) })),
);
const topLevel = ["$and", "$or", "$nor", "$expr", "$jsonSchema", "$alwaysTrue", "$alwaysFalse"];

describe("the operators table decides which stages and operators a pipeline may have", () => {
  it.each(all.filter(({ kind, name }) => kind !== "query" || !topLevel.includes(name)))(
    "$kind $name: $isAllowed",
    ({ kind, name, isAllowed }) =>
      expect(refusal(places[kind](name)).includes(`${name} is not allowed here`)).toBe(!isAllowed),
  );

  it.each(topLevel)("the query operator %s is allowed in the position of a field", (name) => {
    expect(refusal([{ $match: { [name]: [{}] } }])).not.toContain("not allowed");
    expect(refusal([{ $match: { name: { [name]: [{}] } } }])).toContain(`${name} is not allowed here`);
  });

  it.each(operators.update)("no writing stage is allowed: %s is refused unless it is also a harmless stage", (name) =>
    expect(refusal([{ [name]: {} }]).includes("not allowed")).toBe(!operators.stages.includes(name)),
  );

  it.each([
    "$where",
    "$function",
    "$accumulator",
    "$text",
    "$near",
    "$out",
    "$merge",
    "$currentOp",
    "$changeStream",
    "$_internalInhibitOptimization",
    "$lookup",
    "__proto__",
    "$constructor",
  ])("%s is refused wherever else it stands", (name) => {
    for (const kind of kinds) {
      if (kind === "stages" && name === "$lookup") continue;
      if (!name.startsWith("$") && kind !== "stages") continue;
      expect(refusal(places[kind](name))).toContain(`${name} is not allowed here`);
    }
  });
});

import { describe, expect, it } from "vitest";
import { operators } from "#shared/data/query/query";
import { confined, sourceOf } from "./confined.ts";

const lead = sourceOf("lead", ["name"]);

type Kind = "stages" | "expressions" | "accumulators" | "window" | "query";

/** A pipeline with the name where its kind may stand; what it is given is rarely right. */
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
const all = kinds.flatMap((kind) => Object.entries(operators[kind]).map(([name, entry]) => ({ kind, name, ...entry })));
const topLevel = ["$and", "$or", "$nor", "$expr", "$jsonSchema", "$alwaysTrue", "$alwaysFalse"];

describe("the table decides what a pipeline is made of", () => {
  it.each(all.filter(({ kind, name }) => kind !== "query" || !topLevel.includes(name)))(
    "$kind $name: $route",
    ({ kind, name, route }) => expect(refusal(places[kind](name)).includes(`${name} is not allowed here`)).toBe(!route),
  );

  it.each(topLevel)("the query operator %s stands where a field would", (name) => {
    expect(refusal([{ $match: { [name]: [{}] } }])).not.toContain("not allowed");
    expect(refusal([{ $match: { name: { [name]: [{}] } } }])).toContain(`${name} is not allowed here`);
  });

  it.each(Object.keys(operators.update))(
    "nothing that writes: %s is no stage unless it is one by the same name",
    (name) => expect(refusal([{ [name]: {} }]).includes("not allowed")).toBe(!Object.hasOwn(operators.stages, name)),
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

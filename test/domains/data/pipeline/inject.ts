import type { JsonPath } from "#shared/data/pipeline/json";
import { refusedExpressions, refusedStages } from "./arbitrary-pipeline.ts";

export interface Injected {
  readonly pipeline: unknown[];
  /** The path of the refused operator. */
  readonly jsonPath: JsonPath;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** All lists of stages in a pipeline, with their paths. */
const pipelinesIn = (stages: unknown[], jsonPath: JsonPath): [unknown[], JsonPath][] => {
  const found: [unknown[], JsonPath][] = [[stages, jsonPath]];
  stages.forEach((stage, index) => {
    if (!isRecord(stage) || Object.keys(stage).length !== 1) return;
    const [name = "", spec] = Object.entries(stage)[0] ?? [];
    if (!isRecord(spec)) return;
    const inner =
      name === "$facet"
        ? Object.entries(spec)
        : name === "$lookup" || name === "$unionWith"
          ? [["pipeline", spec.pipeline] as const]
          : [];
    for (const [key, value] of inner) {
      if (Array.isArray(value)) found.push(...pipelinesIn(value, [...jsonPath, index, name, key]));
    }
  });
  return found;
};

/** Inserts something forbidden at a random depth of an arbitrary pipeline. */
export const inject = (original: readonly unknown[], random: () => number, target: string): Injected => {
  const pipeline: unknown[] = structuredClone([...original]);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const [stages, jsonPath] = pick(pipelinesIn(pipeline, ["pipeline"]));
  const at = Math.floor(random() * (stages.length + 1));
  if (random() < 0.5) {
    const name = pick(refusedStages);
    stages.splice(at, 0, { [name]: target });
    return { pipeline, jsonPath: [...jsonPath, at, name] };
  }
  const name = pick(refusedExpressions);
  const call = { [name]: { body: "function() { return 1 }", args: [], lang: "js" } };
  const [stage, inside] = pick<[unknown, JsonPath]>([
    [{ $project: { a: { $cond: [true, { b: [1, call] }, 0] } } }, ["$project", "a", "$cond", 1, "b", 1]],
    [{ $match: { $or: [{ $expr: { $not: [call] } }] } }, ["$match", "$or", 0, "$expr", "$not", 0]],
    [{ $group: { _id: null, n: { $push: { x: call } } } }, ["$group", "n", "$push", "x"]],
    [{ $replaceWith: { $mergeObjects: ["$$ROOT", call] } }, ["$replaceWith", "$mergeObjects", 1]],
    [
      { $addFields: { a: { $map: { input: [1], in: { $let: { vars: { v: call }, in: 1 } } } } } },
      ["$addFields", "a", "$map", "in", "$let", "vars", "v"],
    ],
  ]);
  stages.splice(at, 0, stage);
  return { pipeline, jsonPath: [...jsonPath, at, ...inside, name] };
};

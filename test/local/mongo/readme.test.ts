import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { commandsAt } from "../../../infra/local/mongo/commands/registry.ts";
import operators from "../../../infra/local/mongo/foundation/operators.json" with { type: "json" };

const supported: Readonly<Record<string, readonly string[]>> = {
  commands: [...commandsAt("").keys()],
  stages: operators.stages,
  expressions: operators.expressions,
  "accumulators of $group": operators.accumulators,
  "window functions": operators.window,
  "query operators": operators.query,
  "update operators": operators.update,
};

const readme = await readFile("infra/local/mongo/README.md", "utf8");

it.each(Object.keys(supported))("the README of the embedded database lists all supported %s and no others", (kind) => {
  const row = readme.split("\n").find((line) => line.startsWith(`| ${kind} |`)) ?? "";
  const [, , number, names = ""] = row.split("|");
  const listed = names.match(/`[^`]+`/g)?.map((name) => name.slice(1, -1)) ?? [];
  expect(listed.toSorted()).toEqual([...(supported[kind] ?? [])].sort());
  expect(Number(number)).toBe(listed.length);
});

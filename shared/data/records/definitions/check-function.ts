import type { Issue } from "#shared/foundation/faults";
import type { CheckedWrite } from "../check-rules.ts";
import { changedValue, codeIssues } from "./check-code.ts";
import type { DefinitionCheck } from "./definitions.ts";

const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,95}\.py$/;

/** Issues of a name that functions and triggers have. */
export const fileNameIssues = (write: CheckedWrite): Issue[] => {
  const name = changedValue(write, "file_name");
  if (typeof name !== "string" || FILE_NAME.test(name)) return [];
  const msg = "Expected letters, digits, dots, underscores and hyphens, and .py at the end: at most 99 characters.";
  return [{ loc: [...write.loc, "file_name"], msg, type: "file_name", input: name.slice(0, 200) }];
};

const limits = { timeout_seconds: { from: 1, to: 60 }, memory_mb: { from: 32, to: 256 } } as const;

const limitIssues = (write: CheckedWrite): Issue[] =>
  Object.entries(limits).flatMap(([name, { from, to }]) => {
    const value = changedValue(write, name);
    const fits = typeof value === "number" && Number.isInteger(value) && value >= from && value <= to;
    if (value === undefined || fits) return [];
    const msg = `Expected a whole number from ${from} to ${to}.`;
    return [{ loc: [...write.loc, name], msg, type: "out_of_range", input: value }];
  });

export const checkFunctions: DefinitionCheck = async (target, writes) => [
  ...writes.flatMap((write) => [...fileNameIssues(write), ...limitIssues(write)]),
  ...(await codeIssues(target, writes, "function")),
];

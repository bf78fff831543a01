import { badValue, failedToParse } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import type { FilterContext } from "../match/matcher.ts";
import { Doc } from "../values/document.ts";
import { splitPath } from "../values/paths.ts";
import type { Value } from "../values/types.ts";
import type { Target } from "./path.ts";

export function compileArrayFilters(
  arrayFilters: readonly Doc[],
  steps: readonly Pick<Target, "path" | "parts">[],
  context: FilterContext,
): Map<string, (item: Value) => boolean> {
  const filters = new Map<string, (item: Value) => boolean>();
  for (const filter of arrayFilters) {
    const name = identifierOf(filter);
    if (name === undefined)
      throw failedToParse("Cannot use an expression without a top-level field name in arrayFilters");
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (filters.has(name))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`);
    const matches = compileFilter(filter, context);
    filters.set(name, (item) => matches(Doc.of([name], [item])));
  }
  const used = new Set(
    steps.flatMap(({ parts }) => parts.filter((part) => part.startsWith("$[")).map((part) => part.slice(2, -1))),
  );
  for (const { parts, path } of steps) {
    for (const part of parts) {
      if (part.startsWith("$[") && part !== "$[]" && !filters.has(part.slice(2, -1)))
        throw badValue(`No array filter found for identifier '${part.slice(2, -1)}' in path '${path}'`);
    }
  }
  for (const name of filters.keys())
    if (!used.has(name)) throw failedToParse(`The array filter for identifier '${name}' was not used in the update`);
  return filters;
}

function identifierOf(filter: Doc): string | undefined {
  let name: string | undefined;
  filter.keys.forEach((key, i) => {
    const value = filter.values[i];
    const found = key.startsWith("$")
      ? Array.isArray(value)
        ? value.map((item) => (item instanceof Doc ? identifierOf(item) : undefined))
        : []
      : [splitPath(key)[0]];
    for (const candidate of found) {
      if (name !== undefined && candidate !== undefined && name !== candidate)
        throw failedToParse(
          `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${name}' and '${candidate}'`,
        );
      name ??= candidate;
    }
  });
  return name;
}

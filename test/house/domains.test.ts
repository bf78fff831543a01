import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { importsOf, type Source, sources } from "./sources.ts";

const shared = (await sources("shared")).filter(({ path }) => !path.startsWith("shared/contracts/"));

/** `shared/records/fields.ts` → `records`; a file directly in shared belongs to no domain. */
const domainOf = (path: string): string | undefined => /^shared\/([^/]+)\//.exec(path)?.[1];

const target = ({ path }: Source, specifier: string): string => {
  if (specifier.startsWith("#shared/")) return specifier.replace("#shared/", "shared/");
  return specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : specifier;
};

const uses = new Map<string, Set<string>>();
for (const source of shared) {
  const from = domainOf(source.path);
  if (from === undefined) continue;
  const known = uses.get(from) ?? new Set();
  uses.set(from, known);
  for (const specifier of importsOf(source)) {
    const to = domainOf(target(source, specifier));
    if (to !== undefined && to !== from && to !== "contracts") known.add(to);
  }
}

const circleFrom = (start: string): string[] | undefined => {
  const walk = (domain: string, trail: readonly string[]): string[] | undefined => {
    for (const next of uses.get(domain) ?? []) {
      if (next === start) return [...trail, next];
      if (trail.includes(next)) continue;
      const circle = walk(next, [...trail, next]);
      if (circle) return circle;
    }
    return undefined;
  };
  return walk(start, [start]);
};

// Biome sees circles of files; two domains can also lean on each other without one.
test.each([...uses.keys()])("the domain %s is in no circle of domains", (domain) => {
  expect(circleFrom(domain)?.join(" → ")).toBeUndefined();
});

test("what stands directly in shared leans on no domain", () => {
  const leaning = shared
    .filter(({ path }) => domainOf(path) === undefined)
    .flatMap((source) => importsOf(source).map((specifier) => ({ source, to: domainOf(target(source, specifier)) })))
    .filter(({ to }) => to !== undefined && to !== "contracts")
    .map(({ source, to }) => `${source.path} → ${to}`);
  expect(leaning).toEqual([]);
});

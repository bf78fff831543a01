import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { importsOf, type Source, sources } from "./sources.ts";

const shared = (await sources("shared")).filter(({ path }) => !path.startsWith("shared/contracts/"));

/** `shared/data/records/api-record.ts` → `data/records`, `shared/identity/oauth/token.ts` → `identity`. */
const roomOf = (path: string): string | undefined => /^shared\/((?:data\/)?[^/]+)\//.exec(path)?.[1];

const targetOf = ({ path }: Source, specifier: string): string => {
  if (specifier.startsWith("#shared/")) return specifier.replace("#shared/", "shared/");
  return specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : specifier;
};

const uses = new Map<string, Set<string>>();
for (const source of shared) {
  const from = roomOf(source.path);
  if (from === undefined) continue;
  const known = uses.get(from) ?? new Set();
  uses.set(from, known);
  for (const specifier of importsOf(source)) {
    const to = roomOf(targetOf(source, specifier));
    if (to !== undefined && to !== from && to !== "contracts") known.add(to);
  }
}

const circleFrom = (start: string): string[] | undefined => {
  const walk = (room: string, trail: readonly string[]): string[] | undefined => {
    for (const next of uses.get(room) ?? []) {
      if (next === start) return [...trail, next];
      if (trail.includes(next)) continue;
      const circle = walk(next, [...trail, next]);
      if (circle) return circle;
    }
    return undefined;
  };
  return walk(start, [start]);
};

// Biome reports cycles of files. Rooms can also form a cycle without one.
test.each([...uses.keys()])("the room shared/%s is in no import cycle of rooms", (room) => {
  expect(circleFrom(room)?.join(" → ")).toBeUndefined();
});

test("every file of shared is in a room", () => {
  expect(shared.filter(({ path }) => roomOf(path) === undefined).map(({ path }) => path)).toEqual([]);
});

test("the README's map has a line for every room of shared", async () => {
  const { readFile } = await import("node:fs/promises");
  const readme = await readFile("README.md", "utf8");
  const missing = [...uses.keys(), "contracts"].filter((room) => !readme.includes(`${room.replace("data/", "")}/`));
  expect(missing).toEqual([]);
});

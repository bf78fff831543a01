import { expect, test } from "vitest";
import { importsOf, sources } from "./sources.ts";

test("there is one kind of cache, which is bounded by bytes", async () => {
  const own = (await sources("shared", "functions")).filter((source) => importsOf(source).includes("lru-cache"));
  expect(own.map(({ path }) => path)).toEqual(["shared/foundation/bounded-cache.ts"]);
});

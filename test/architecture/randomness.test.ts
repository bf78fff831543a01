import { expect, test } from "vitest";
import { sources } from "./sources.ts";

test("codes, tokens and ids come from a cryptographic source: Math.random is not used", async () => {
  const guessable = (await sources("shared", "functions")).filter(({ text }) => /\bMath\s*\.\s*random\b/.test(text));
  expect(guessable.map(({ path }) => path)).toEqual([]);
});

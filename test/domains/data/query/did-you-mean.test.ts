import { expect, it, test } from "vitest";
import { didYouMean } from "#shared/foundation/did-you-mean";

test.each([
  ["statu", ["status", "stage"], "status"],
  ["Status", ["name", "status"], "status"],
  ["naem", ["name", "amount"], "name"],
  ["x", ["name", "id"], undefined],
  ["telephone", ["name", "id"], undefined],
])("%s among %j is %s", (name, candidates, meant) => expect(didYouMean(name, candidates)).toBe(meant));

it("a suggestion does not compare texts longer than any name", () =>
  expect(didYouMean("x".repeat(60_000), ["x".repeat(59_999)])).toBeUndefined());

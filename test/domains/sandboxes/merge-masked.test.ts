import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeMasked } from "#shared/sandboxes/push/merge-masked";
import { editMembers, edits, type Json, MASK, type Members, secretNames, tree } from "../../setup/secret-values.ts";

/** What a copy of the value in a sandbox is. */
const masked = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    if (!secretNames.includes(name)) return [name, masked(member)];
    return [name, member === null || typeof member === "boolean" ? member : MASK];
  });
  return Object.fromEntries(members);
};

describe("a pushed value", () => {
  test("has every change of the sandbox, the target's secrets and no mask", () => {
    fc.assert(
      fc.property(tree, edits, (production, changes) => {
        const sandbox = structuredClone(masked(production)) as Members;
        const wanted = structuredClone(production);
        for (const change of changes) {
          editMembers(sandbox, structuredClone(change));
          editMembers(wanted, structuredClone(change));
        }
        const { value, leftOut } = mergeMasked(sandbox, production);
        expect(value).toEqual(wanted);
        expect(leftOut).toEqual([]);
        expect(JSON.stringify(value)).not.toContain(MASK);
      }),
      { numRuns: 2_000 },
    );
  });

  test("has no mask, whatever the target has", () => {
    fc.assert(
      fc.property(tree, tree, (production, other) => {
        const { value } = mergeMasked(masked(production), other);
        expect(JSON.stringify(value ?? null)).not.toContain(MASK);
      }),
      { numRuns: 1_000 },
    );
  });

  test("is without a masked value that the target does not have, and names its place", () => {
    const pushed = { smtp: { host: "mail.example", password: MASK }, hooks: [{ url: "a", token: MASK }], extra: MASK };
    expect(mergeMasked(pushed, { smtp: { host: "old.example" } })).toEqual({
      value: { smtp: { host: "mail.example" }, hooks: [{ url: "a" }] },
      leftOut: [["smtp", "password"], ["hooks", 0, "token"], ["extra"]],
    });
    expect(mergeMasked(MASK, undefined)).toEqual({ value: undefined, leftOut: [[]] });
    expect(mergeMasked(MASK, "s3cret")).toEqual({ value: "s3cret", leftOut: [] });
  });

  test("keeps the secret of an element that was changed in a list without ids", () => {
    const stored = [
      { url: "a", token: "1" },
      { url: "b", token: "2" },
    ];
    expect(
      mergeMasked(
        [
          { url: "b", token: MASK },
          { url: "a2", token: MASK },
        ],
        stored,
      ).value,
    ).toEqual([
      { url: "b", token: "2" },
      { url: "a2", token: "1" },
    ]);
    expect(
      mergeMasked(
        [
          { url: "a", token: MASK },
          { url: "b2", token: MASK },
        ],
        stored,
      ).value,
    ).toEqual([
      { url: "a", token: "1" },
      { url: "b2", token: "2" },
    ]);
    const added = [{ url: "new" }, { url: "a", token: MASK }, { url: "b2", token: MASK }];
    expect(mergeMasked(added, stored).value).toEqual([
      { url: "new" },
      { url: "a", token: "1" },
      { url: "b2", token: "2" },
    ]);
  });

  test("takes no secret of another element if several could be meant", () => {
    const stored = [
      { url: "a", token: "1" },
      { url: "b", token: "2" },
    ];
    expect(mergeMasked([{ url: "c", token: MASK }], stored)).toEqual({
      value: [{ url: "c" }],
      leftOut: [[0, "token"]],
    });
  });
});

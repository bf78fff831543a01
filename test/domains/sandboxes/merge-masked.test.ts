import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeMasked } from "#shared/sandboxes/push/merge-masked";

const MASK = "********";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
interface Members {
  [name: string]: Json;
}

const secretNames = ["api_key", "password", "clientSecret", "Access-Token", "privateKey", "credentials"];
const openNames = ["url", "label", "colour", "items", "settings", "nested"];

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

const isMembers = (value: Json | undefined): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.string().filter((text) => text !== MASK),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);

const secretMembers = fc.dictionary(
  fc.constantFrom(...secretNames),
  fc.oneof(scalar, fc.record({ user: fc.string(), pass: fc.string() }), fc.array(fc.string(), { maxLength: 2 })),
  { maxKeys: 2 },
);

/** Elements with what tells them apart. */
const distinct = (name: string, elements: Members[]): Json[] =>
  elements.map((element, index) => ({ ...element, [name]: `${name}-${index}` }));

const { tree } = fc.letrec<{ tree: Members; value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    tie("tree"),
    fc.array(scalar, { maxLength: 3 }),
    fc.array(tie("tree") as fc.Arbitrary<Members>, { maxLength: 4 }).map((elements) => distinct("id", elements)),
    fc.array(secretMembers, { maxLength: 4 }).map((elements) => distinct("label", elements)),
  ),
  tree: fc
    .tuple(secretMembers, fc.dictionary(fc.constantFrom(...openNames), tie("value"), { maxKeys: 4 }))
    .map(([secrets, members]): Members => ({ ...members, ...secrets })),
}));

interface Edit {
  readonly at: readonly number[];
  readonly kind: "set" | "remove" | "add" | "reverse";
  readonly value: Json;
}

const edits = fc.array(
  fc.record({
    at: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    kind: fc.constantFrom("set" as const, "remove" as const, "add" as const, "reverse" as const),
    value: scalar,
  }),
  { maxLength: 8 },
);

const hasIds = (list: Json[]): boolean => list.every((one) => isMembers(one) && one.id !== undefined);

const editList = (list: Json[], [step = 0, ...rest]: readonly number[], { kind, value }: Edit): void => {
  const index = step % Math.max(list.length, 1);
  const element = list[index];
  if (hasIds(list) && isMembers(element) && rest.length > 0) editMembers(element, { at: rest, kind, value });
  else if (kind === "remove") list.splice(index, 1);
  else if (kind === "reverse") list.reverse();
  else list.splice(index, 0, hasIds(list) ? { id: `new-${list.length}-${step}`, value } : value);
};

/** Makes the same change in production's value and in its masked copy, because both have the same members. */
const editMembers = (members: Members, { at: [step = 0, ...rest], kind, value }: Edit): void => {
  const names = Object.keys(members)
    .filter((name) => name !== "id")
    .sort();
  const name = names[step % Math.max(names.length, 1)];
  if (name === undefined || kind === "add") {
    members[`added_${step % 5}`] = value;
    return;
  }
  const member = members[name];
  const isSecret = secretNames.includes(name);
  if (!isSecret && rest.length > 0 && isMembers(member)) editMembers(member, { at: rest, kind, value });
  else if (!isSecret && rest.length > 0 && Array.isArray(member)) editList(member, rest, { at: rest, kind, value });
  else if (kind === "remove") delete members[name];
  else members[name] = value;
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

/** Values with secrets at any depth, and changes that a person could make in their masked copies. */
import fc from "fast-check";

export const MASK = "********";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Members {
  [name: string]: Json;
}

export const secretNames = ["api_key", "password", "clientSecret", "Access-Token", "privateKey", "credentials"];
const openNames = ["url", "label", "colour", "items", "settings", "nested"];

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

export const { tree } = fc.letrec<{ tree: Members; value: Json }>((tie) => ({
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

export interface Edit {
  readonly at: readonly number[];
  readonly kind: "set" | "remove" | "add" | "reverse";
  readonly value: Json;
}

export const edits = fc.array(
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
export const editMembers = (members: Members, { at: [step = 0, ...rest], kind, value }: Edit): void => {
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

import * as fc from "fast-check";

/** Kinds of fields, with values that fit and values that do not. */
export const kinds = {
  text: { field: { type: "string" }, fitting: ["a", "b", "text"], wrong: [5, true, ["a"], { a: 1 }] },
  number: { field: { type: "number" }, fitting: [0, 1, 40.5, -3], wrong: ["x", true, [1]] },
  boolean: { field: { type: "boolean" }, fitting: [true, false], wrong: ["yes", 1] },
  choice: {
    field: { type: "string", format: "enum", values: ["red", "blue"], restricted: true },
    fitting: ["red", "blue"],
    wrong: ["green", 1],
  },
  day: {
    field: { type: "string", format: "date" },
    fitting: ["2026-02-28", "2024-02-29"],
    wrong: ["2026-02-30", "soon"],
  },
} as const;

export type Kind = keyof typeof kinds;

/** People by number: 0 is the owner of the organization, the others are members. */
export const MEMBERS = 4;

const rights = fc.record({
  create: fc.boolean(),
  read: fc.boolean(),
  update: fc.boolean(),
  delete: fc.boolean(),
});

const fieldNames: readonly string[] = ["f0", "f1", "f2"];

const fieldRights = fc.dictionary(
  fc.constantFrom(...fieldNames),
  fc.record({ read: fc.boolean(), update: fc.boolean() }),
  { maxKeys: 2 },
);

const field = fc.record({
  kind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
  required: fc.boolean(),
  sensitive: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
  /** Counts for text alone. */
  encrypted: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.boolean()),
});

const object = fc.record({
  ownership: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
  exclusive_ownership: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
  fields: fc.tuple(field, field, field),
  /** Whether a rule refuses numbers above 40. */
  ruled: fc.boolean(),
});

const share = fc.record({
  holder: fc.constantFrom("user", "role"),
  index: fc.nat(MEMBERS),
  access: fc.constantFrom("read", "edit", "delete"),
});

const value = fc.nat(11);

/** A field's value: the number of a fitting one, none, or the number of a wrong one. */
const cell = fc.oneof(
  { weight: 6, arbitrary: value.map((index) => ({ kind: "fitting" as const, index })) },
  { weight: 1, arbitrary: fc.constant({ kind: "none" as const }) },
  { weight: 1, arbitrary: value.map((index) => ({ kind: "wrong" as const, index })) },
);

const record = fc.record({
  owner: fc.nat(MEMBERS),
  shares: fc.array(share, { maxLength: 2 }),
  cells: fc.tuple(cell, cell, cell),
  /** The number of a record of the other object, which the second object's records refer to. */
  refers: fc.option(fc.nat(11)),
});

const write = fc.record({
  member: fc.integer({ min: 1, max: MEMBERS }),
  object: fc.nat(1),
  record: fc.nat(11),
  kind: fc.constantFrom("update", "delete"),
  field: fc.nat(2),
  value,
});

/** A random data model with random roles, permissions, records and writes. */
export const arbitraryModel = fc.record({
  objects: fc.tuple(object, object),
  permissions: fc.array(
    fc.record({
      objects: fc.tuple(rights, rights),
      fields: fc.tuple(fieldRights, fieldRights),
      /** Whether it has the scope `sensitive:read`. */
      sensitive: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  roles: fc.array(
    fc.record({
      view_access: fc.constantFrom("personal", "team", "subordinate", "full"),
      /** The number of an earlier role, or none. */
      parent: fc.option(fc.nat(3)),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  members: fc.array(
    fc.record({ role: fc.option(fc.nat(3)), permissions: fc.uniqueArray(fc.nat(2), { maxLength: 3 }) }),
    { minLength: MEMBERS, maxLength: MEMBERS },
  ),
  records: fc.tuple(fc.array(record, { minLength: 3, maxLength: 8 }), fc.array(record, { minLength: 3, maxLength: 8 })),
  writes: fc.array(write, { minLength: 4, maxLength: 8 }),
});

export type Model = typeof arbitraryModel extends fc.Arbitrary<infer M> ? M : never;
export type ModelRecord = Model["records"][number][number];
export { fieldNames };

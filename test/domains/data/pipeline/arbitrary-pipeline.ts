import * as fc from "fast-check";
import allowedOperators from "../../../../shared/data/pipeline/allowed-operators.json" with { type: "json" };

type Kind = "stages" | "expressions" | "accumulators" | "window" | "query";

const namesOf = (kind: Kind): string[] => allowedOperators[kind];

/** Operators of MongoDB that must not be allowed: writes, code, other databases, the server's own. */
export const refusedStages = [
  ...[
    "$out",
    "$merge",
    "$currentOp",
    "$collStats",
    "$indexStats",
    "$listSessions",
    "$listLocalSessions",
    "$changeStream",
  ],
  ...[
    "$documents",
    "$planCacheStats",
    "$search",
    "$vectorSearch",
    "$geoNear",
    "$queue",
    "$_internalInhibitOptimization",
  ],
] as const;

export const refusedExpressions = [
  "$function",
  "$accumulator",
  "$where",
  "$meta",
  "$_internalJs",
  "$lookup",
  "$eval",
] as const;

const visible = ["name", "amount", "status", "company.id", "company", "id", "_id", "created_date", "owner.name"];
const secret = [
  ...["password_hash", "totp_secret", "notification_tokens", "billing", "billing.plan", "value", "never_declared"],
  ...["email", "industry", "organization_id", "is_superuser", "properties", "shared_with.user"],
  ...["phone", "phone.value", "phone.0"],
  ...["related_to.name", "related_to", "related_to.schema", "permissions.name", "permissions", "role.name", "role"],
];

export const objects = ["lead", "company", "user", "task", "Lead"];
const unreachable = [
  ...["invoice", "contact", "organization", "auth_credential", "permission", "organization_state", "record_counter"],
  ...[
    "schemas",
    "system.users",
    "system.profile",
    "base",
    "base.user",
    "$cmd",
    "$cmd.aggregate",
    "",
    "..",
    "local.oplog.rs",
  ],
];

export interface Attack {
  /** A database of another organization. */
  readonly foreign: string;
  /** The collection of a forbidden write. */
  readonly target: string;
}

const path = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...visible) },
  { weight: 4, arbitrary: fc.constantFrom(...secret) },
  { weight: 1, arbitrary: fc.constantFrom("", "$", "a..b", "a.$b", "all", "x", "x.password_hash", "x.email") },
);

const reference = fc.oneof(
  { weight: 6, arbitrary: path.map((name) => `$${name}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "$$ROOT",
      "$$CURRENT",
      "$$this",
      "$$value",
      "$$REMOVE",
      "$$c",
      "$$DESCEND",
      "$$USER_ROLES",
    ),
  },
  { weight: 1, arbitrary: path.map((name) => `$$ROOT.${name}`) },
);

const literal = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    1,
    -1,
    7,
    1.5,
    "",
    "MARKER",
    "$literal",
    { $date: "2026-01-01T00:00:00Z" },
    [],
    {},
  ),
  fc.constantFrom<unknown>(
    { $literal: "$lookup" },
    { $literal: { $out: "x" } },
    { $numberDecimal: "1.5" },
    { $oid: "zz" },
    { $date: [] },
  ),
);

const orders = fc.dictionary(path, fc.constantFrom<unknown>(1, -1, 1, -1, 0, { $meta: "textScore" }), {
  minKeys: 1,
  maxKeys: 2,
});

const pairs = [
  "$eq",
  "$ne",
  "$gt",
  "$lt",
  "$cmp",
  "$ifNull",
  "$and",
  "$or",
  "$in",
  "$concatArrays",
  "$setUnion",
  "$arrayElemAt",
  "$strcasecmp",
];
const singles = [
  "$type",
  "$isArray",
  "$isNumber",
  "$not",
  "$toString",
  "$objectToArray",
  "$mergeObjects",
  "$size",
  "$toUpper",
  "$bsonSize",
  "$strLenCP",
];

/** Expressions: mostly valid, else any operator with any operand. */
const { expression } = fc.letrec<{ expression: unknown }>((tie) => {
  const inner = tie("expression");
  const named = fc.oneof(
    fc.record({ $cond: fc.record({ if: inner, then: inner, else: inner }) }),
    fc.record({ $map: fc.record({ input: fc.constant({ $objectToArray: "$$ROOT" }), in: inner }) }),
    fc.record({ $filter: fc.record({ input: fc.constant([1, 2]), cond: inner }) }),
    fc.record({ $reduce: fc.record({ input: fc.constant([1, 2, 3]), initialValue: inner, in: inner }) }),
    fc.record({
      $let: fc.record({
        vars: fc.dictionary(fc.constantFrom("c", "v", "CURRENT", "ROOT"), inner, { maxKeys: 2 }),
        in: inner,
      }),
    }),
    fc.record({ $getField: fc.oneof(path, fc.record({ field: fc.oneof(path, inner), input: inner })) }),
    fc.record({ $setField: fc.record({ field: path, input: fc.constantFrom("$$ROOT", "$company"), value: inner }) }),
    fc.record({ $switch: fc.record({ branches: fc.tuple(fc.record({ case: inner, then: inner })), default: inner }) }),
    fc.record({ $sortArray: fc.record({ input: inner, sortBy: orders }) }),
    fc.record({
      $convert: fc.record({
        input: inner,
        to: fc.constantFrom("string", "int", "date"),
        onError: inner,
        onNull: inner,
      }),
    }),
  );
  const call = (names: readonly string[], argument: fc.Arbitrary<unknown>) =>
    fc.tuple(fc.constantFrom(...names), argument).map(([name, value]) => ({ [name]: value }));
  const anything = fc.oneof(
    inner,
    fc.array(inner, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("input", "field", "in", "n"), inner, { maxKeys: 3 }),
  );
  return {
    expression: fc.oneof(
      { maxDepth: 4, depthIdentifier: "expression" },
      { weight: 5, arbitrary: reference },
      { weight: 3, arbitrary: literal },
      { weight: 5, arbitrary: call(pairs, fc.tuple(inner, inner)) },
      { weight: 3, arbitrary: call(singles, inner) },
      { weight: 3, arbitrary: named },
      { weight: 1, arbitrary: call([...namesOf("expressions")], anything) },
      { weight: 1, arbitrary: fc.dictionary(fc.constantFrom("a", "b", "password_hash"), inner, { maxKeys: 2 }) },
      { weight: 1, arbitrary: fc.array(inner, { maxLength: 2 }) },
    ),
  };
});

const condition = fc.oneof(
  literal,
  fc.tuple(fc.constantFrom("$eq", "$ne", "$gt", "$gte", "$lt"), literal).map(([name, value]) => ({ [name]: value })),
  fc.constantFrom<unknown>(
    { $exists: true },
    { $exists: false },
    { $type: "string" },
    { $regex: "^[A-M]", $options: "i" },
  ),
  fc.constantFrom<unknown>(
    { $in: [null, "Ada", 7] },
    { $not: { $gt: 3 } },
    { $elemMatch: { $gt: 1 } },
    { $elemMatch: { id: "x" } },
    { $size: 1 },
  ),
  fc
    .tuple(fc.constantFrom(...namesOf("query"), "$where", "$text", "$near"), literal)
    .map(([name, value]) => ({ [name]: value })),
);

const { filter } = fc.letrec<{ filter: unknown }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2, depthIdentifier: "filter" },
    { weight: 6, arbitrary: fc.dictionary(path, condition, { minKeys: 1, maxKeys: 2 }) },
    { weight: 2, arbitrary: fc.record({ $expr: expression }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom("$and", "$or", "$nor"), fc.array(tie("filter"), { minLength: 1, maxLength: 2 }))
        .map(([name, value]) => ({ [name]: value })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        { $jsonSchema: { required: ["password_hash"] } },
        { $comment: "$out" },
        { $where: "1" },
        {},
      ),
    },
  ),
}));

const accumulator = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom("$sum", "$push", "$addToSet", "$first", "$max", "$min", "$avg"), expression)
      .map(([name, value]) => ({ [name]: value })),
  },
  { weight: 1, arbitrary: fc.record({ $top: fc.record({ sortBy: orders, output: expression }) }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...namesOf("accumulators"), ...namesOf("window"), "$accumulator"), expression)
      .map(([name, value]) => ({ [name]: value })),
  },
);

/** Whole pipelines. `attack` is what they try to reach outside the organization. */
export const arbitraryPipeline = ({ foreign, target }: Attack): fc.Arbitrary<unknown[]> => {
  const collection = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<unknown>(...objects) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...unreachable, foreign, `${foreign}.lead`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>({ db: foreign, coll: "lead" }, { db: "base", coll: "user" }, null, 5),
    },
  );
  const { pipeline } = fc.letrec<{ pipeline: unknown[]; stage: unknown }>((tie) => {
    const nested = tie("pipeline");
    const join = fc.record({
      $lookup: fc.record(
        {
          from: collection,
          as: fc.constantFrom("x", "all", "name", "a.b"),
          localField: path,
          foreignField: path,
          pipeline: nested,
          let: fc.record({ c: expression }),
        },
        { requiredKeys: ["from", "as"] },
      ),
    });
    const graph = fc.record({
      $graphLookup: fc.record(
        {
          from: collection,
          as: fc.constant("x"),
          startWith: expression,
          connectFromField: path,
          connectToField: path,
          maxDepth: fc.nat(3),
          depthField: fc.constantFrom("depth", "email"),
          restrictSearchWithMatch: filter,
        },
        { requiredKeys: ["from", "as", "startWith", "connectFromField", "connectToField"] },
      ),
    });
    const fields = fc.dictionary(fc.constantFrom("a", "b", "name", "x.y", "password_hash"), expression, {
      minKeys: 1,
      maxKeys: 2,
    });
    const plain = fc.oneof<fc.Arbitrary<unknown>[]>(
      fc.record({ $match: filter }),
      fc.record({ $match: filter }),
      fc.record({ $addFields: fields }),
      fc.record({
        $project: fc.oneof(fields, fc.dictionary(path, fc.constantFrom(1, 1, 0), { minKeys: 1, maxKeys: 2 })),
      }),
      fc.record({ $sort: orders }),
      fc.record({ $limit: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ $skip: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ $group: fc.record({ _id: expression, a: accumulator }) }),
      fc.record({ $sortByCount: expression }),
      fc.record({
        $bucket: fc.record({
          groupBy: expression,
          boundaries: fc.constant([0, 50, 100]),
          default: fc.constant("other"),
          output: fc.record({ a: accumulator }),
        }),
      }),
      fc.record({
        $replaceWith: fc.oneof(expression, fc.constantFrom("$$ROOT", "$company"), fc.record({ all: expression })),
      }),
      fc.record({ $unwind: fc.oneof(reference, fc.constantFrom("$x", "$all")) }),
      fc.record({ $unset: fc.oneof(path, fc.array(path, { maxLength: 2 })) }),
      fc.record({
        $redact: fc.constantFrom("$$KEEP", "$$PRUNE", { $cond: ["$password_hash", "$$DESCEND", "$$KEEP"] }),
      }),
      fc.record({
        $setWindowFields: fc.record(
          { partitionBy: expression, sortBy: orders, output: fc.record({ a: accumulator }) },
          { requiredKeys: ["output"] },
        ),
      }),
      fc.record({ $count: fc.constantFrom("n", "", "$n") }),
    );
    const strange = fc.oneof<fc.Arbitrary<unknown>[]>(
      fc.constantFrom<unknown>(
        null,
        1,
        "x",
        [],
        {},
        { a: 1 },
        { $match: {}, $out: target },
        { _bsontype: "ObjectId" },
        { $match: { a: { _bsontype: "Long" } } },
      ),
      fc
        .tuple(
          fc.constantFrom(...namesOf("stages"), ...refusedStages, "$nonsense"),
          fc.oneof(expression, fc.constant(target)),
        )
        .map(([name, spec]) => ({ [name]: spec })),
      fc.constantFrom<unknown>(
        { $out: target },
        { $out: { db: foreign, coll: target } },
        { $merge: { into: target } },
        { $merge: { into: { db: foreign, coll: "lead" } } },
      ),
    );
    return {
      stage: fc.oneof(
        { maxDepth: 4, depthIdentifier: "stage" },
        { weight: 12, arbitrary: plain },
        { weight: 3, arbitrary: join },
        { weight: 1, arbitrary: graph },
        {
          weight: 1,
          arbitrary: fc.oneof(
            collection.map((name) => ({ $unionWith: name })),
            fc.record({ $unionWith: fc.record({ coll: collection, pipeline: nested }) }),
          ),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            $facet: fc.dictionary(fc.constantFrom("a", "b", "x"), nested, { minKeys: 1, maxKeys: 2 }),
          }),
        },
        { weight: 1, arbitrary: strange },
      ),
      pipeline: fc.array(tie("stage"), { maxLength: 3, depthIdentifier: "stage" }),
    };
  });
  return pipeline;
};

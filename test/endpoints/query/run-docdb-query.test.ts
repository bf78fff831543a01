import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let member: User;
let mongo: MongoClient;
let acme: string;

const create = async (object: string, body: unknown) =>
  (await http.post(`/v1/object/${object}`, { token: owner.token, body, expect: 201 })).body;

const run = (collection: string, pipeline: unknown, expected = 200, user = owner) =>
  http.post("/v1/query/docdb", { token: user.token, body: { collection, pipeline }, expect: expected });

const rows = async (collection: string, pipeline: unknown, user = owner) =>
  (await run(collection, pipeline, 200, user)).body;

const issues = async (collection: string, pipeline: unknown, user = owner) =>
  (await run(collection, pipeline, 422, user)).body.detail;

beforeAll(async () => {
  [owner, mongo] = await Promise.all([registerOrganization(), databaseClient()]);
  const [first, second] = await create("company", [
    { name: "Acme", industry: "Rockets" },
    { name: "Globex", industry: "Hidden industry" },
  ]);
  acme = first.id;
  await create("lead", [
    { name: "Ada", status: "New", amount: 100, company: acme, email: "ada@example.test" },
    { name: "Bob", status: "Working", amount: 50, company: second.id },
    { name: "Cyd", status: "New", amount: 75, company: acme },
    { name: "$out", amount: 5 },
  ]);
  const permission = await create("permission", {
    name: "Narrow",
    object_permissions: { lead: { read: true }, company: { read: true }, user: { read: true } },
    object_field_permissions: { lead: { email: { read: false } }, company: { industry: { read: false } } },
  });
  member = await addUser(owner.organizationId, { permissions: [permission.id] });
});

afterAll(() => mongo.close());

describe("200: every stage", () => {
  it.each<[string, unknown[], unknown]>([
    ["$match", [{ $match: { status: "New" } }, { $count: "n" }], [{ n: 2 }]],
    ["$project", [{ $match: { name: "Ada" } }, { $project: { _id: 0, name: 1 } }], [{ name: "Ada" }]],
    [
      "$addFields",
      [
        { $match: { name: "Ada" } },
        { $addFields: { twice: { $multiply: ["$amount", 2] } } },
        { $project: { _id: 0, twice: 1 } },
      ],
      [{ twice: 200 }],
    ],
    [
      "$set and $unset",
      [
        { $match: { name: "Ada" } },
        { $set: { a: { b: "$name" } } },
        { $unset: ["_id", "name"] },
        { $replaceRoot: { newRoot: "$a" } },
      ],
      [{ b: "Ada" }],
    ],
    [
      "$replaceWith",
      [{ $match: { name: "Ada" } }, { $replaceWith: { n: "$name", c: "$company.name" } }],
      [{ n: "Ada", c: "Acme" }],
    ],
    [
      "$group",
      [
        { $match: { status: { $ne: null } } },
        { $group: { _id: "$status", total: { $sum: "$amount" } } },
        { $sort: { _id: 1 } },
      ],
      [
        { _id: "New", total: 175 },
        { _id: "Working", total: 50 },
      ],
    ],
    [
      "$bucket",
      [
        {
          $bucket: {
            groupBy: "$amount",
            boundaries: [0, 60, 200],
            default: "none",
            output: { names: { $push: "$name" } },
          },
        },
      ],
      [
        { _id: 0, names: ["Bob", "$out"] },
        { _id: 60, names: ["Ada", "Cyd"] },
      ],
    ],
    [
      "$sortByCount",
      [{ $match: { company: { $exists: true } } }, { $sortByCount: "$company.name" }],
      [
        { _id: "Acme", count: 2 },
        { _id: "Globex", count: 1 },
      ],
    ],
    [
      "$unwind",
      [
        { $match: { name: "Ada" } },
        { $project: { tag: ["a", "b"], _id: 0 } },
        { $unwind: { path: "$tag", includeArrayIndex: "at" } },
      ],
      [
        { tag: "a", at: 0 },
        { tag: "b", at: 1 },
      ],
    ],
    [
      "$facet",
      [{ $facet: { all: [{ $count: "n" }], fresh: [{ $match: { status: "New" } }, { $count: "n" }] } }],
      [{ all: [{ n: 4 }], fresh: [{ n: 2 }] }],
    ],
    ["$redact", [{ $redact: { $cond: [{ $gt: ["$amount", 60] }, "$$KEEP", "$$PRUNE"] } }, { $count: "n" }], [{ n: 2 }]],
    ["$sample", [{ $sample: { size: 100 } }, { $count: "n" }], [{ n: 4 }]],
    [
      "$setWindowFields",
      [
        {
          $setWindowFields: {
            sortBy: { amount: 1 },
            output: { sum: { $sum: "$amount", window: { documents: ["unbounded", "current"] } }, rank: { $rank: {} } },
          },
        },
        { $match: { name: "Cyd" } },
        { $project: { _id: 0, sum: 1, rank: 1 } },
      ],
      [{ sum: 130, rank: 3 }],
    ],
    [
      "$skip and $limit",
      [{ $sort: { name: 1 } }, { $skip: 1 }, { $limit: 2 }, { $group: { _id: null, names: { $push: "$name" } } }],
      [{ _id: null, names: ["Ada", "Bob"] }],
    ],
    [
      "$unionWith",
      [
        { $unionWith: "company" },
        { $unionWith: { coll: "Company", pipeline: [{ $match: { name: "Acme" } }] } },
        { $count: "n" },
      ],
      [{ n: 7 }],
    ],
    [
      "$graphLookup",
      [
        { $match: { name: "Ada" } },
        {
          $graphLookup: {
            from: "company",
            startWith: "$company.id",
            connectFromField: "owner.id",
            connectToField: "id",
            as: "found",
            depthField: "depth",
          },
        },
        { $project: { _id: 0, "found.name": 1, "found.depth": 1 } },
      ],
      [{ found: [{ name: "Acme", depth: 0 }] }],
    ],
    [
      "strings that look like operators",
      [
        { $match: { name: "$out" } },
        {
          $project: {
            _id: 0,
            a: { $literal: "$lookup" },
            b: { $literal: { $out: "x" } },
            same: { $eq: ["$name", { $literal: "$out" }] },
          },
        },
      ],
      [{ a: "$lookup", b: { $out: "x" }, same: true }],
    ],
  ])("%s", async (_, pipeline, expected) => expect(await rows("lead", pipeline)).toEqual(expected));

  it("$lookup by fields, by a pipeline with variables, and by both", async () => {
    const by = { from: "company", localField: "company.id", foreignField: "id", as: "c" };
    const variables = { from: "COMPANY", let: { c: "$company.id" }, as: "c" };
    const same = { $match: { $expr: { $eq: ["$id", "$$c"] } } };
    const pipeline = [{ $project: { _id: 0, name: 1 } }];
    for (const spec of [
      { ...by, pipeline },
      { ...variables, pipeline: [same, ...pipeline] },
    ]) {
      expect(
        await rows("lead", [{ $match: { name: "Ada" } }, { $lookup: spec }, { $project: { _id: 0, c: 1 } }]),
      ).toEqual([{ c: [{ name: "Acme" }] }]);
    }
    const [whole] = await rows("lead", [{ $match: { name: "Ada" } }, { $lookup: by }]);
    expect(whole.c).toMatchObject([{ id: acme, name: "Acme", industry: "Rockets" }]);
    expect(whole.c[0]).not.toHaveProperty("_id");
  });
});

describe("200: what EXPLAIN of the SQL route shows", () => {
  it.each([
    "SELECT name FROM lead WHERE created_date > '2020-01-01' AND name LIKE 'a%' ORDER BY amount LIMIT 3",
    "SELECT lead.name, company.name FROM lead LEFT JOIN company ON company.id = lead.company WHERE company.name = 'Acme'",
    "SELECT company.name, COUNT(*) AS n FROM company JOIN lead ON company.id = lead.company GROUP BY company.name",
    "SELECT DISTINCT status FROM lead WHERE created_date = today OR amount IN (5, 50)",
  ])("can be run: %s", async (q) => {
    const [plain, explained] = [q, `EXPLAIN ${q}`].map((text) =>
      http.get("/v1/query", { token: owner.token, query: { q: text }, expect: 200 }),
    );
    const { collection, pipeline } = (await explained)?.body.explain ?? {};
    expect(await rows(collection, pipeline)).toHaveLength((await plain)?.body.records.length);
  });
});

describe("200: values", () => {
  it("finds a record by _id or id, and gives id", async () => {
    for (const match of [{ _id: acme }, { id: acme }, { _id: acme, id: acme }, { $expr: { $eq: ["$id", acme] } }]) {
      const [record, ...more] = await rows("company", [{ $match: match }]);
      expect([record.id, record.name, more]).toEqual([acme, "Acme", []]);
      expect(record).not.toHaveProperty("_id");
    }
    expect(await rows("company", [{ $match: { _id: acme, id: "other" } }])).toEqual([]);
    expect(
      await rows("company", [{ $match: { id: acme } }, { $group: { _id: "$id", id: { $first: "$id" } } }]),
    ).toEqual([{ _id: acme, id: acme }]);
  });

  it("accepts dates as ISO text or extended JSON, and gives ISO text", async () => {
    const at = new Date(Date.now() - 3_600_000).toISOString();
    for (const since of [at, { $date: at }, { $date: Date.parse(at) }, at.slice(0, 10)]) {
      expect(await rows("lead", [{ $match: { created_date: { $gte: since } } }, { $count: "n" }])).toEqual([{ n: 4 }]);
    }
    expect(await rows("lead", [{ $match: { created_date: { $lt: at } } }])).toEqual([]);
    expect(
      await rows("lead", [{ $match: { $expr: { $gte: ["$created_date", { $date: at }] } } }, { $count: "n" }]),
    ).toEqual([{ n: 4 }]);
    const [record] = await rows("lead", [{ $limit: 1 }]);
    expect(record.created_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("gives numbers that JSON cannot represent in extended JSON", async () => {
    const literals = {
      long: { $literal: { $numberLong: "9007199254740993" } },
      decimal: { $toDecimal: "1.10" },
      small: { $toLong: 5 },
    };
    expect(await rows("company", [{ $limit: 1 }, { $project: { _id: 0, ...literals } }])).toEqual([
      { long: { $numberLong: "9007199254740993" }, decimal: { $numberDecimal: "1.10" }, small: 5 },
    ]);
  });
});

describe("200: pages", () => {
  const headers = async (pipeline: unknown[], user = owner) => {
    const reply = await run("lead", pipeline, 200, user);
    const names = ["x-total-count", "x-limit", "x-offset", "x-has-more", "x-truncated"];
    return names.map((name) => reply.headers.get(name));
  };

  it.each<[string, unknown[], (string | null)[]]>([
    ["none", [], ["4", "10000", "0", "false", null]],
    ["the first", [{ $limit: 3 }], ["4", "3", "0", "true", null]],
    ["the last", [{ $skip: 3 }, { $limit: 3 }], ["4", "3", "3", "false", null]],
    ["behind the end", [{ $skip: 9 }, { $limit: 3 }], ["4", "3", "9", "false", null]],
    ["the limit first", [{ $limit: 3 }, { $skip: 1 }], ["4", "2", "1", "true", null]],
    ["only a skip", [{ $match: { status: "New" } }, { $skip: 1 }], ["2", "10000", "1", "false", null]],
    [
      "the last of two",
      [{ $limit: 3 }, { $sort: { name: 1 } }, { $skip: 1 }, { $limit: 1 }, { $project: { name: 1 } }],
      ["3", "1", "1", "true", null],
    ],
    [
      "of what a join multiplies",
      [{ $lookup: { from: "lead", pipeline: [], as: "all" } }, { $unwind: "$all" }, { $limit: 1 }],
      ["16", "1", "0", "true", null],
    ],
    ["at random", [{ $match: { $expr: { $gte: [{ $rand: {} }, 0] } } }, { $limit: 2 }], [null, "2", "0", null, null]],
  ])("%s", async (_, pipeline, expected) => expect(await headers(pipeline)).toEqual(expected));

  it("is truncated at 10,000 rows without a limit, and at 5 MB with one", async () => {
    const all = { $project: { all: { $range: [0, 3000] }, name: 1 } };
    expect(await headers([all, { $unwind: "$all" }])).toEqual(["12000", "10000", "0", "true", "true"]);
    expect(await headers([all, { $unwind: "$all" }, { $limit: 11_000 }])).toEqual([
      "12000",
      "11000",
      "0",
      "true",
      null,
    ]);
    const large = [
      {
        $project: {
          x: { $reduce: { input: { $range: [0, 20] }, initialValue: "x", in: { $concat: ["$$value", "$$value"] } } },
        },
      },
    ];
    const reply = await run("lead", [...large, { $unionWith: { coll: "lead", pipeline: large } }, { $limit: 50 }]);
    expect(reply.headers.get("x-truncated")).toBe("true");
    expect(reply.body).toHaveLength(4);
    expect(reply.text.length).toBeLessThanOrEqual(5_000_000);
  });
});

describe("200: access", () => {
  const everything = [
    [],
    [{ $replaceWith: { all: "$$ROOT" } }],
    [{ $project: { all: "$$CURRENT" } }],
    [{ $project: { all: { $objectToArray: "$$ROOT" } } }],
    [{ $group: { _id: null, all: { $push: "$$ROOT" }, merged: { $mergeObjects: "$$ROOT" } } }],
    [{ $project: { stolen: { $getField: "password_hash" }, name: "$password_hash" } }],
    [{ $project: { stolen: { $getField: { field: { $literal: "password_hash" }, input: "$$ROOT" } } } }],
    [{ $group: { _id: "$password_hash" } }],
    [{ $sortByCount: "$password_hash" }],
    [{ $bucket: { groupBy: { $ifNull: ["$password_hash", 1] }, boundaries: [0, 5], default: "other" } }],
    [{ $lookup: { from: "user", pipeline: [], as: "all" } }],
    [{ $lookup: { from: "user", localField: "id", foreignField: "id", as: "all" } }],
    [{ $unionWith: "user" }],
    [
      {
        $facet: {
          all: [{ $unionWith: { coll: "user", pipeline: [{ $match: { $expr: { $ne: ["$password_hash", null] } } }] } }],
        },
      },
    ],
    [{ $graphLookup: { from: "user", startWith: "$id", connectFromField: "id", connectToField: "id", as: "all" } }],
    [{ $setWindowFields: { sortBy: { password_hash: 1 }, output: { all: { $push: "$$ROOT" } } } }],
    [{ $sort: { password_hash: 1 } }],
    [{ $redact: "$$KEEP" }],
  ];

  it.each(everything.map((pipeline) => [JSON.stringify(pipeline), pipeline]))(
    "shows no secret through %s",
    async (_, pipeline) => {
      const stored = await mongo
        .db(owner.organizationId)
        .collection("user")
        .updateMany(
          {},
          { $set: { password_hash: "MARKER-HASH", totp_secret: "MARKER-TOTP", never_declared: "MARKER-FIELD" } },
        );
      expect(stored.matchedCount).toBeGreaterThan(1);
      expect((await run("user", pipeline)).text).not.toContain("MARKER");
    },
  );

  it.each<[string, unknown]>([
    ["a match", { password_hash: { $regex: "^MARKER" } }],
    ["an expression", { $expr: { $gt: ["$password_hash", ""] } }],
    ["a schema", { $jsonSchema: { required: ["password_hash"] } }],
    ["an expression of a match of one field", { $or: [{ password_hash: { $exists: true } }, { name: "nobody" }] }],
  ])("answers no question about a secret by %s", async (_, match) =>
    expect(await rows("user", [{ $match: match }])).toEqual([]),
  );

  it("applies a member's permissions to every collection", async () => {
    const [lead] = await rows(
      "lead",
      [
        { $match: { name: "Ada" } },
        { $lookup: { from: "company", localField: "company.id", foreignField: "id", as: "c" } },
      ],
      member,
    );
    expect(lead).not.toHaveProperty("email");
    expect(lead.c[0]).not.toHaveProperty("industry");
    expect(await rows("lead", [{ $match: { email: "ada@example.test" } }], member)).toEqual([]);
    expect(
      await rows("company", [{ $unionWith: "lead" }, { $match: { industry: { $exists: true } } }], member),
    ).toEqual([]);
  });

  it("reads the caller's organization only", async () => {
    const stranger = await registerOrganization();
    expect(await rows("lead", [{ $unionWith: "company" }], stranger)).toEqual([]);
  });
});

describe("401", () => {
  it("without a token", async () =>
    void (await http.post("/v1/query/docdb", { body: { collection: "lead", pipeline: [] }, expect: 401 })));
});

describe("422", () => {
  it("names operator and path of everything that is refused", async () => {
    const found = await issues("lead", [
      { $match: { $where: "sleep(1000)" } },
      { $out: "stolen" },
      {
        $lookup: {
          from: "company",
          as: "x",
          pipeline: [
            { $merge: { into: "x" } },
            { $project: { a: { $function: { body: "x", args: [], lang: "js" } } } },
          ],
        },
      },
      { $facet: { a: [{ $group: { _id: null, x: { $accumulator: {} } } }] } },
      { $prject: { a: 1 } },
    ]);
    expect(found.map(({ loc, type }: { loc: unknown[]; type: string }) => [type, loc.slice(2)])).toEqual([
      ["operator_not_allowed", [0, "$match", "$where"]],
      ["operator_not_allowed", [1, "$out"]],
      ["operator_not_allowed", [2, "$lookup", "pipeline", 0, "$merge"]],
      ["operator_not_allowed", [2, "$lookup", "pipeline", 1, "$project", "a", "$function"]],
      ["operator_not_allowed", [3, "$facet", "a", 0, "$group", "x", "$accumulator"]],
      ["operator_not_allowed", [4, "$prject"]],
    ]);
    expect(found[2]).toEqual({
      loc: ["body", "pipeline", 2, "$lookup", "pipeline", 0, "$merge"],
      msg: "pipeline[2].$lookup.pipeline[0].$merge: the stage $merge is not allowed here.",
      type: "operator_not_allowed",
      ctx: { path: "pipeline[2].$lookup.pipeline[0].$merge", operator: "$merge" },
    });
    expect(found[5].ctx.did_you_mean).toBe("$project");
  });

  it.each(["organization_state", "record_counter", "schemas", "system.users", "system.profile", "sandbox", "no_such"])(
    "refuses the collection %s, which is no object, at every position",
    async (name) => {
      expect(await issues(name, [])).toMatchObject([{ loc: ["body", "collection"], type: "unknown_object" }]);
      const found = await issues("lead", [
        { $lookup: { from: name, as: "x", localField: "a", foreignField: "b" } },
        { $unionWith: name },
        { $unionWith: { coll: name } },
        { $graphLookup: { from: name, as: "x", startWith: "$a", connectFromField: "id", connectToField: "id" } },
      ]);
      expect(new Set(found.map(({ type }: { type: string }) => type))).toEqual(new Set(["unknown_object"]));
      expect(found).toHaveLength(4);
    },
  );

  it("gives the same error for unreadable objects and fields as for missing ones", async () => {
    const told = async (name: string) =>
      JSON.stringify(await issues("lead", [{ $unionWith: name }], member)).replaceAll(name, "…");
    expect(await told("invoice")).toBe(await told("nothing"));
    const joined = async (field: string) => {
      const spec = { from: "company", localField: "name", foreignField: field, as: "x" };
      return JSON.stringify(await issues("lead", [{ $lookup: spec }], member)).replaceAll(field, "…");
    };
    expect(await joined("industry")).toBe(await joined("nonsense"));
  });

  it.each<[string, unknown, string]>([
    [
      "another database",
      { $lookup: { from: { db: "base", coll: "user" }, as: "x", localField: "a", foreignField: "id" } },
      "from",
    ],
    ["an unknown option", { $lookup: { from: "company", as: "x", pipeline: [], _internal: 1 } }, "_internal"],
    [
      "a protected field to join by",
      { $lookup: { from: "user", as: "x", localField: "name", foreignField: "password_hash" } },
      "foreignField",
    ],
    [
      "a protected field to walk by",
      {
        $graphLookup: {
          from: "user",
          as: "x",
          startWith: "$name",
          connectFromField: "totp_secret",
          connectToField: "id",
        },
      },
      "connectFromField",
    ],
    [
      "a protected field to search by",
      {
        $graphLookup: {
          from: "user",
          as: "x",
          startWith: "$name",
          connectFromField: "id",
          connectToField: "id",
          restrictSearchWithMatch: { password_hash: "x" },
        },
      },
      "restrictSearchWithMatch",
    ],
    ["a facet in a facet", { $facet: { a: [{ $facet: { b: [] } }] } }, "$facet"],
    ["an unknown variable", { $project: { a: "$$USER_ROLES" } }, "a"],
    ["an unknown argument", { $project: { a: { $map: { input: [], in: 1, on: 2 } } } }, "on"],
    ["no number", { $limit: "5" }, "$limit"],
    ["half an operator", { $project: { a: { $sum: 1, b: 2 } } }, "$sum"],
    ["a date that is none", { $match: { created_date: { $gt: { $date: "soon" } } } }, "$date"],
    ["a name that the driver takes for its own", { $match: { a: { _bsontype: "ObjectId" } } }, "_bsontype"],
  ])("for %s", async (_, stage, last) => {
    const [issue] = await issues("lead", [stage]);
    expect(issue.loc.at(-1)).toBe(last);
  });

  it("reports errors of the database", async () => {
    const [issue] = await issues("lead", [
      { $match: { name: "Ada" } },
      { $project: { a: { $divide: ["$amount", 0] } } },
    ]);
    expect(issue).toMatchObject({ loc: ["body", "pipeline", 1, "$project", "a", "$divide"], type: "pipeline_failed" });
  });

  it("refuses a single document that is larger than a reply", async () => {
    const twice = { $concat: ["$$value", "$$value"] };
    const large = { $reduce: { input: { $range: [0, 23] }, initialValue: "x", in: twice } };
    expect((await issues("lead", [{ $limit: 1 }, { $project: { large } }]))[0].type).toBe("result_too_large");
  });

  it.each<[string, unknown]>([
    ["too many stages", Array.from({ length: 201 }, () => ({ $match: {} }))],
    ["too many joins", Array.from({ length: 21 }, () => ({ $unionWith: "company" }))],
    ["too many values", [{ $match: { name: { $in: Array.from({ length: 50_001 }, () => 1) } } }]],
  ])("for %s", async (_, pipeline) =>
    expect((await issues("lead", pipeline)).some(({ type }: { type: string }) => type === "pipeline_too_complex")).toBe(
      true,
    ),
  );

  it.each<[string, string]>([
    ["stages", '{"$facet":{"a":['],
    ["lists", "["],
    ["objects", '{"a":'],
  ])("for hostile nesting of %s", async (_, open) => {
    const close = [...open]
      .reverse()
      .map((character) => ({ "[": "]", "{": "}" })[character] ?? "")
      .join("");
    for (const depth of [70, 3_000, 60_000]) {
      const inner = open.endsWith(":")
        ? `${open.repeat(depth)}1${close.repeat(depth)}`
        : `${open.repeat(depth)}${close.repeat(depth)}`;
      const reply = await http.post("/v1/query/docdb", {
        token: owner.token,
        raw: `{"collection":"lead","pipeline":[${inner}]}`,
        headers: { "content-type": "application/json" },
      });
      expect([depth, reply.status]).toEqual([depth, reply.text.includes("body_too_large") ? 413 : 422]);
    }
  });

  it("refuses a body of another shape", async () => {
    for (const body of [
      {},
      { collection: "lead" },
      { collection: 1, pipeline: [] },
      { collection: "lead", pipeline: {} },
      { collection: "lead", pipeline: [], allowDiskUse: false },
      { collection: "lead", pipeline: [null, 1, [], {}, { a: 1 }] },
    ]) {
      await http.post("/v1/query/docdb", { token: owner.token, body, expect: 422 });
    }
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import {
  addUser,
  databaseClient,
  type HttpReply,
  http,
  invokeOperation,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { letIn, registerApp } from "../identity/apps.ts";

const SSN = "078-05-1120";
const OTHER = "219-09-9999";
const SALARY = 918_273;
const BORN = "1961-07-04";

let owner: User;
/** Reads and writes persons, without the scope. */
let masked: User;
/** The same with the scope. */
let unmasked: User;
/** An app of the owner with all scopes but the one for sensitive values. */
let app: string;
const ids: string[] = [];

const everything = { create: true, read: true, update: true, delete: true };

const permission = async (scopes: string[]): Promise<string> => {
  const object_permissions = { person: everything, employment: everything, user: { read: true } };
  const body = { name: `Persons ${scopes}`, object_permissions, scopes };
  return (await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 })).body.id;
};

const sql = (q: string, token: string, more: Record<string, string | boolean> = {}): Promise<HttpReply> =>
  http.get("/v1/query", { token, query: { q, ...more } });

const pipeline = (stages: unknown[], token: string, collection = "person"): Promise<HttpReply> =>
  http.post("/v1/query/docdb", { token, body: { collection, pipeline: stages } });

const change = (id: string, body: object, token: string): Promise<HttpReply> =>
  http.patch(`/v1/object/person/${id}`, { token, body });

beforeAll(async () => {
  owner = await registerOrganization();
  const fields = [
    { name: "SSN", type: "string", unique: true, sensitive: true },
    { name: "Salary", type: "number", indexed: true, sensitive: true },
    { name: "Born", type: "string", format: "date", sensitive: true },
    { name: "Boss", type: "json", format: "lookup", schema: "user", sensitive: true },
    { name: "Tags", type: "list", format: "multi-select", values: ["vip"], sensitive: true },
    { name: "Town", type: "string" },
  ];
  await http.post("/v1/schema", { token: owner.token, body: { name: "Person", fields }, expect: 201 });
  const employment = {
    name: "Employment",
    fields: [
      { name: "Person", type: "json", format: "lookup", schema: "person" },
      { name: "Number", type: "string" },
      { name: "Pay", type: "number" },
    ],
  };
  await http.post("/v1/schema", { token: owner.token, body: employment, expect: 201 });
  masked = await addUser(owner.organizationId, { permissions: [await permission([])] });
  unmasked = await addUser(owner.organizationId, { permissions: [await permission(["sensitive:read"])] });
  const scopes = ["read", "write", "admin"];
  app = (await letIn(owner.token, await registerApp(owner.token, { scopes }))).access_token;
  const body = [
    { name: "Ada", ssn: SSN, salary: SALARY, born: BORN, boss: owner.id, tags: ["vip"], town: "London" },
    { name: "Bob", ssn: OTHER, salary: 1, born: "1970-01-01", boss: unmasked.id, tags: [], town: "Paris" },
    { name: "Cid", town: "Rome" },
  ];
  const created = await http.post("/v1/object/person", { token: owner.token, body, expect: 201 });
  ids.push(...created.body.map(({ id }: { id: string }) => id));
  const jobs = [
    { name: "Job", person: ids[0], number: SSN, pay: SALARY },
    { name: "None", number: "0", pay: 5 },
  ];
  await http.post("/v1/object/employment", { token: owner.token, body: jobs, expect: 201 });
});

const mask = { ssn: "***", salary: null, born: null, boss: null, tags: null };
const clear = { ssn: SSN, salary: SALARY, born: BORN, tags: ["vip"] };

const callers = (): [string, string][] => [
  ["a member without the scope", masked.token],
  ["an app without the scope", app],
];

describe("a sensitive field", () => {
  it("is shown to administrators, to callers with the scope, and to apps with the scope or all", async () => {
    const granted = async (scopes: string[], user: User) =>
      (await letIn(user.token, await registerApp(owner.token, { scopes }))).access_token;
    const tokens = [
      owner.token,
      unmasked.token,
      await granted(["read", "sensitive:read"], owner),
      await granted(["all"], owner),
      await granted(["read", "sensitive:read"], unmasked),
    ];
    for (const token of tokens) {
      const { body } = await http.get(`/v1/object/person/${ids[0]}`, { token, expect: 200 });
      expect(body).toMatchObject(clear);
      const q = `SELECT name, ssn FROM person WHERE ssn = '${SSN}'`;
      expect((await sql(q, token)).body.records).toEqual([{ name: "Ada", ssn: SSN }]);
      expect((await pipeline([{ $match: { ssn: SSN } }], token)).body).toMatchObject([clear]);
    }
  });

  it("is masked for members without the scope, and for apps without it whatever the person may", async () => {
    const ofUnmasked = await letIn(unmasked.token, await registerApp(owner.token, { scopes: ["read"] }));
    const ofMasked = await letIn(masked.token, await registerApp(owner.token, { scopes: ["read", "sensitive:read"] }));
    for (const token of [masked.token, app, ofUnmasked.access_token, ofMasked.access_token]) {
      const { body } = await http.get(`/v1/object/person/${ids[0]}`, { token, expect: 200 });
      expect(body).toMatchObject({ name: "Ada", town: "London", ...mask });
      const list = await http.get("/v1/object/person", { token, query: { order_by: "name" }, expect: 200 });
      // The mask does not tell whether there is a value.
      expect(list.body.map(({ ssn }: { ssn: string }) => ssn)).toEqual(["***", "***", "***"]);
      const { body: rows } = await sql("SELECT * FROM person WHERE name = 'Ada'", token);
      expect(rows.records[0]).toMatchObject({ name: "Ada", ...mask });
      expect((await pipeline([{ $match: { name: "Ada" } }], token)).body).toMatchObject([mask]);
    }
  });

  it("is masked in the replies to writes", async () => {
    const body = { name: "New", ssn: "111-11-1111", salary: 7 };
    const created = await http.post("/v1/object/person", { token: masked.token, body, expect: 201 });
    expect(created.body).toMatchObject({ name: "New", ...mask });
    const changed = await change(created.body.id, { salary: 8, ssn: "111-11-1112" }, masked.token);
    expect(changed.body).toMatchObject(mask);
    const { body: seen } = await http.get(`/v1/object/person/${created.body.id}`, { token: owner.token });
    expect(seen).toMatchObject({ ssn: "111-11-1112", salary: 8 });
    await http.delete(`/v1/object/person/${created.body.id}`, { token: owner.token, expect: 200 });
  });

  it("keeps its value when a masked caller sends the mask back", async () => {
    const refused = await change(ids[0] ?? "", { town: "Oxford", ssn: "***", salary: null }, masked.token);
    expect(refused.status).toBe(422);
    expect(refused.body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [loc.at(-1), type])).toEqual([
      ["ssn", "masked_value"],
      ["salary", "masked_value"],
    ]);
    const created = await http.post("/v1/object/person", { token: masked.token, body: { name: "X", ssn: "***" } });
    expect(created.body.detail).toMatchObject([{ loc: ["body", "ssn"], type: "masked_value" }]);
    const { body } = await http.get(`/v1/object/person/${ids[0]}`, { token: owner.token });
    expect(body).toMatchObject({ ...clear, town: "London" });
  });

  it("gives callers with and without the scope answers of their own from the cache", async () => {
    const q = "SELECT name, ssn, salary FROM person WHERE name = 'Ada'";
    for (const _ of [1, 2]) {
      expect((await sql(q, unmasked.token)).body.records).toEqual([{ name: "Ada", ssn: SSN, salary: SALARY }]);
      expect((await sql(q, masked.token)).body.records).toEqual([{ name: "Ada", ssn: "***", salary: null }]);
    }
  });

  it("is masked as soon as the scope is taken away, and shown as soon as it is given", async () => {
    const id = await permission([]);
    const user = await addUser(owner.organizationId, { permissions: [id] });
    const seen = async () => (await http.get(`/v1/object/person/${ids[0]}`, { token: user.token })).body.ssn;
    const give = (scopes: unknown, expect = 200) =>
      http.patch(`/v1/object/permission/${id}`, { token: owner.token, body: { scopes }, expect });
    expect(await seen()).toBe("***");
    await give(["sensitive:read"]);
    expect(await seen()).toBe(SSN);
    await give([]);
    expect(await seen()).toBe("***");
    const { body } = await give([{ name: "sensitive:read" }], 422);
    expect(body.detail).toMatchObject([{ loc: ["body", "scopes", 0] }]);
  });

  it("tells of a duplicate only that the value is taken", async () => {
    const { status, body } = await http.post("/v1/object/person", {
      token: masked.token,
      body: { name: "Twin", ssn: SSN },
    });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: "duplicate_value", detail: 'The value of "ssn" is taken.' });
  });

  it("is not echoed in errors", async () => {
    const body = { name: "Bad", ssn: 4711471147, salary: "much-too-much", born: "born-yesterday" };
    const { status, text } = await http.post("/v1/object/person", { token: masked.token, body });
    expect(status).toBe(422);
    for (const value of ["4711471147", "much-too-much", "born-yesterday"]) expect(text).not.toContain(value);
  });
});

/** The same replies for two different stored values mean that the value cannot be told from them. */
const repliesTo = async (ask: () => Promise<HttpReply>[]): Promise<string[]> => {
  const texts: string[] = [];
  for (const each of ask()) {
    const { status, text } = await each;
    expect(status, text).toBeLessThan(500);
    texts.push(`${status} ${text.replace(/"request_id":"[^"]*"|"20[^"]*Z"/g, "")}`);
  }
  return texts;
};

const withValue = async (body: object, ask: () => Promise<HttpReply>[]): Promise<string[]> => {
  await change(ids[2] ?? "", body, owner.token);
  return repliesTo(ask);
};

const expectIndifferent = async (ask: () => Promise<HttpReply>[]): Promise<string[]> => {
  const none = await withValue({ ssn: null, salary: null, born: null, boss: null, tags: null }, ask);
  const values = { ssn: "333-33-3333", salary: 777_777, born: "1999-09-09", boss: masked.id, tags: ["vip"] };
  const some = await withValue(values, ask);
  expect(some).toEqual(none);
  for (const secret of ["333-33-3333", "777777", "1999-09-09", OTHER, BORN]) expect(some.join()).not.toContain(secret);
  await withValue({ ssn: null, salary: null, born: null, boss: null, tags: null }, () => []);
  return some;
};

describe("a masked value cannot be inferred", () => {
  const refused = [
    "SELECT name FROM person WHERE ssn = '333-33-3333'",
    "SELECT name FROM person WHERE ssn != 'x'",
    "SELECT name FROM person WHERE NOT ssn IN ('x')",
    "SELECT name FROM person WHERE ssn IS NULL",
    "SELECT name FROM person WHERE NOT (ssn IS NOT NULL)",
    "SELECT name FROM person WHERE ssn LIKE '3%'",
    "SELECT name FROM person WHERE salary > 5",
    "SELECT name FROM person WHERE salary BETWEEN 1 AND 9",
    "SELECT name FROM person WHERE born = this_year",
    "SELECT name FROM person WHERE boss = ME",
    "SELECT name FROM person WHERE boss.id = ME",
    "SELECT name FROM person WHERE tags = 'vip'",
    "SELECT name FROM person WHERE name = 'Cid' OR ssn = name",
    "SELECT name FROM person WHERE town = ssn",
    "SELECT name FROM person ORDER BY ssn",
    "SELECT name, salary AS pay FROM person ORDER BY pay",
    "SELECT name FROM person ORDER BY boss.name",
    "SELECT salary, COUNT(*) FROM person GROUP BY salary",
    "SELECT COUNT(ssn) FROM person",
    "SELECT COUNT(DISTINCT ssn) FROM person",
    "SELECT MAX(salary) FROM person",
    "SELECT town FROM person GROUP BY town HAVING SUM(salary) > 1",
    "SELECT DISTINCT ssn FROM person",
    "SELECT DISTINCT * FROM person",
    "SELECT person.name FROM employment JOIN person ON person.ssn = employment.number",
    "SELECT person.name FROM employment JOIN person ON person.salary = employment.pay",
    "SELECT e.name, p.name FROM employment e LEFT JOIN person p ON p.id = e.person AND p.ssn = '333-33-3333'",
    "SELECT p.name FROM person p JOIN user u ON p.boss = u.id",
    "SELECT e.name FROM employment e JOIN person p ON p.id = e.person WHERE p.salary > 5",
    "SELECT e.name FROM employment e JOIN person p ON p.id = e.person ORDER BY p.ssn",
    "EXPLAIN SELECT name FROM person WHERE ssn = '333-33-3333'",
  ];

  it.each(refused)("by SQL: %s", async (q) => {
    for (const [who, token] of callers()) {
      const { status, body } = await sql(q, token, { bypass_cache: true });
      expect(status, who).toBe(422);
      expect(body.detail[0].type, body.detail[0].msg).toBe("query_type");
      expect(body.detail[0].msg).toContain("is sensitive: without the scope sensitive:read");
    }
  });

  it("by what SQL shows, with cursors and counts", async () => {
    const queries = [
      "SELECT ssn, salary, born, boss, tags FROM person ORDER BY name",
      "SELECT boss.id, boss.name FROM person ORDER BY name",
      "SELECT person.* FROM person LEFT JOIN employment ON employment.person = person.id ORDER BY person.name",
      "SELECT e.name, p.ssn, p.salary FROM employment e LEFT JOIN person p ON p.id = e.person ORDER BY e.name",
      "EXPLAIN SELECT * FROM person",
    ];
    const texts = await expectIndifferent(() =>
      queries.map((q) => sql(q, masked.token, { bypass_cache: true, count: true })),
    );
    expect(texts.every((text) => text.startsWith("200"))).toBe(true);
    const rows = await sql("SELECT e.name, p.ssn AS s FROM employment e LEFT JOIN person p ON p.id = e.person", app);
    expect(rows.body.records).toEqual([
      { "e.name": "Job", s: "***" },
      // There is no person whose value could be masked.
      { "e.name": "None", s: null },
    ]);
    const { body: page } = await sql("SELECT name, ssn FROM person ORDER BY name LIMIT 1", masked.token);
    const position = Buffer.from(page.next_cursor, "base64url").toString();
    expect(position).not.toContain(SSN);
  });

  it("by pipelines, with any stage before and after the mask", async () => {
    const secret = { $in: ["333-33-3333"] };
    const lookups = (foreignField: string, localField = "number") => ({
      $lookup: { from: "person", localField, foreignField, as: "found" },
    });
    const graph = (connectFromField: string, connectToField: string, more: object = {}) => ({
      $graphLookup: { from: "person", startWith: "$number", connectFromField, connectToField, as: "found", ...more },
    });
    const onPerson: unknown[][] = [
      [{ $match: { ssn: secret } }],
      [{ $match: { ssn: { $exists: true } } }, { $count: "n" }],
      [{ $match: { $or: [{ ssn: "333-33-3333" }, { name: "Bob" }] } }],
      [{ $match: { $expr: { $eq: ["$ssn", "333-33-3333"] } } }],
      [{ $match: { $expr: { $gt: ["$salary", 5] } } }, { $sort: { name: 1 } }],
      [{ $match: { "boss.id": masked.id } }],
      [{ $match: { tags: "vip" } }],
      [{ $sort: { salary: 1 } }, { $limit: 1 }, { $project: { salary: 1 } }],
      [{ $sort: { ssn: -1, name: 1 } }, { $project: { name: 1 } }],
      [{ $group: { _id: "$ssn", n: { $sum: 1 } } }],
      [{ $group: { _id: null, sum: { $sum: "$salary" }, all: { $push: "$ssn" } } }],
      [{ $sortByCount: "$salary" }],
      [{ $bucket: { groupBy: "$salary", boundaries: [0, 5, 1e9], default: "other" } }],
      [{ $addFields: { copy: "$ssn", part: { $substrCP: [{ $ifNull: ["$ssn", "none"] }, 0, 3] } } }, { $unset: "id" }],
      [{ $project: { all: { $objectToArray: "$$ROOT" } } }],
      [{ $project: { got: { $getField: "ssn" }, of: { $getField: { field: "salary", input: "$$CURRENT" } } } }],
      [{ $setWindowFields: { sortBy: { salary: 1 }, output: { rank: { $rank: {} } } } }],
      [{ $facet: { a: [{ $match: { ssn: secret } }], b: [{ $group: { _id: "$born" } }] } }],
      [{ $replaceRoot: { newRoot: { a: "$ssn", b: "$boss", c: "$tags" } } }],
      [{ $redact: { $cond: [{ $eq: ["$ssn", "333-33-3333"] }, "$$KEEP", "$$PRUNE"] } }],
      [{ $unionWith: { coll: "person", pipeline: [{ $match: { salary: { $gt: 5 } } }] } }, { $count: "n" }],
      [{ $unwind: "$tags" }],
      [{ $project: { bytes: { $bsonSize: "$$ROOT" } } }, { $sort: { bytes: 1 } }, { $project: { bytes: 1 } }],
    ];
    const onOther: unknown[][] = [
      [lookups("name")],
      [lookups("_id", "person.id"), { $match: { "found.ssn": secret } }],
      [{ $lookup: { from: "person", let: { n: "$number" }, pipeline: [{ $match: { ssn: secret } }], as: "found" } }],
      [
        {
          $lookup: {
            from: "person",
            let: { n: "$pay" },
            pipeline: [{ $match: { $expr: { $lte: ["$salary", "$$n"] } } }, { $project: { name: 1 } }],
            as: "found",
          },
        },
      ],
      [{ $unionWith: { coll: "person", pipeline: [{ $match: { ssn: secret } }] } }],
      [graph("name", "town"), { $project: { "found.ssn": 1, "found.salary": 1 } }],
    ];
    for (const [, token] of callers()) {
      const texts = await expectIndifferent(() => [
        ...onPerson.map((stages) => pipeline(stages, token)),
        ...onOther.map((stages) => pipeline(stages, token, "employment")),
      ]);
      expect(texts.filter((text) => !text.startsWith("200"))).toEqual([]);
      const closed = [
        [lookups("ssn")],
        [lookups("salary", "pay")],
        [lookups("boss.id", "person.id")],
        [graph("ssn", "name")],
        [graph("name", "ssn")],
        [graph("name", "name", { restrictSearchWithMatch: { ssn: "333-33-3333" } })],
      ];
      for (const stages of closed) {
        const { status, body } = await pipeline(stages, token, "employment");
        expect(status).toBe(422);
        expect(body.detail[0]).toMatchObject({ type: "unknown_field" });
        expect(body.detail[0].msg).toContain("is sensitive");
      }
    }
  });

  it("by the order of a list", async () => {
    for (const field of ["ssn", "-salary", "born", "boss", "name,ssn"]) {
      const { status, body } = await http.get("/v1/object/person", {
        token: masked.token,
        query: { order_by: field },
      });
      expect(status).toBe(422);
      expect(body.detail).toMatchObject([{ type: "not_sortable" }]);
    }
  });

  it("by the history", async () => {
    await expectIndifferent(() => [http.get(`/v1/object/person/${ids[2]}`, { token: masked.token })]);
    const { body } = await http.get(`/v1/object/person/${ids[2]}/history`, { token: masked.token, expect: 200 });
    expect(body.some(({ changes }: { changes: object }) => "ssn" in changes)).toBe(true);
    for (const { changes } of body) {
      for (const name of Object.keys(mask)) if (name in changes) expect(changes[name]).toEqual({ hidden: true });
    }
  });

  it("by rules, fields and objects that an app without the scope changes", async () => {
    const condition = "record.ssn == '333-33-3333'";
    const rule = { name: "Oracle", condition, error_message: "Found." };
    const post = (path: string, body: object) => http.post(path, { token: app, body });
    const replies = [
      await post("/v1/schema/person/validation-rule?dry_run=true", rule),
      await post("/v1/schema/person/validation-rule", rule),
      await http.patch("/v1/schema/field", {
        token: app,
        body: { object_id: "person", api_name: "ssn", sensitive: false },
      }),
      ...(await Promise.all(
        [
          { format: "enum", values: ["333-33-3333"], restricted: true },
          { type: "number" },
          { unique: true },
          { encrypted: true },
        ].map((settings) =>
          http.patch("/v1/schema/field", { token: app, body: { object_id: "person", api_name: "ssn", ...settings } }),
        ),
      )),
      await http.delete("/v1/schema/person/ssn?force=true", { token: app }),
      await http.delete("/v1/schema/person?force=true", { token: app }),
    ];
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 403));
    for (const { body } of replies) expect(body.detail).toContain("sensitive:read");
    const harmless = { ...rule, name: "Town", condition: "record.town == 'Nowhere'" };
    expect((await post("/v1/schema/person/validation-rule", harmless)).status).toBe(200);
    const path = "/v1/schema/person/validation-rule/town";
    expect((await http.patch(path, { token: app, body: { condition } })).status).toBe(403);
    expect((await http.patch(path, { token: app, body: { error_message: "No." } })).status).toBe(200);
    const own = await http.post("/v1/schema/person/validation-rule?dry_run=true", { token: owner.token, body: rule });
    expect(own.body).toMatchObject({ dry_run: true, failing: 0 });
  });

  it("by a field or an object that an app makes anew under the name of a deleted one", async () => {
    const made = (token: string, path: string, body: object) => http.post(`/v1/schema${path}`, { token, body });
    const pin = { object_id: "employment", name: "Pin", type: "string", sensitive: true };
    await made(owner.token, "/field", pin);
    const { body: job } = await http.post("/v1/object/employment", {
      token: owner.token,
      body: { name: "J", pin: OTHER },
    });
    await http.delete("/v1/schema/employment/pin", { token: owner.token, expect: 200 });
    const refused = await made(app, "/field", { ...pin, sensitive: false });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    expect((await made(app, "/field", { object_id: "employment", name: "Other pin", type: "string" })).status).toBe(
      200,
    );
    expect((await made(owner.token, "/field", pin)).status).toBe(200);
    await http.delete(`/v1/object/employment/${job.id}`, { token: owner.token, expect: 200 });
    await made(owner.token, "", { name: "Short lived", fields: [{ name: "Pin", type: "string", sensitive: true }] });
    await http.post("/v1/object/short_lived", { token: owner.token, body: { name: "S", pin: OTHER }, expect: 201 });
    await http.delete("/v1/schema/short_lived?force=true", { token: owner.token, expect: 200 });
    expect((await made(app, "", { name: "Short lived" })).status).toBe(403);
    expect((await made(app, "", { name: "Quite new" })).status).toBe(201);
    expect((await made(app, "", { name: "Schemas" })).status).toBe(422);
    expect((await made(app, "", { name: "Person" })).status).toBe(409);
  });

  it("by a rule, whose reply has its message alone", async () => {
    const rule = {
      name: "Rich",
      condition: "record.salary > 900000.0",
      error_message: "Not now.",
      error_field: "town",
    };
    await http.post("/v1/schema/person/validation-rule", { token: owner.token, body: rule, expect: 200 });
    const { status, body, text } = await change(ids[0] ?? "", { town: "York" }, masked.token);
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      { loc: ["body", "town"], msg: "Not now.", type: "validation_rule", ctx: { rule: "rich", reason: "condition" } },
    ]);
    expect(text).not.toContain(String(SALARY));
    await http.delete("/v1/schema/person/validation-rule/rich", { token: owner.token, expect: 200 });
  });
});

describe("a sensitive name", () => {
  const NAME = "Moriarty";

  it("is hidden in references too, for members and for apps, until it is sensitive no more", async () => {
    const field = { object_id: "person", api_name: "name" };
    const set = (sensitive: boolean) =>
      http.patch("/v1/schema/field", { token: owner.token, body: { ...field, sensitive }, expect: 200 });
    const person = await http.post("/v1/object/person", { token: owner.token, body: { name: NAME }, expect: 201 });
    const job = { name: "Crime", person: person.body.id };
    const { id } = (await http.post("/v1/object/employment", { token: owner.token, body: job, expect: 201 })).body;
    const texts = async (token: string): Promise<string> => {
      const replies = [
        await http.get(`/v1/object/employment/${id}`, { token, expect: 200 }),
        await http.get(`/v1/object/employment/${id}/history`, { token, expect: 200 }),
        await http.get(`/v1/object/person/${person.body.id}/history`, { token, expect: 200 }),
        await sql("SELECT person FROM employment WHERE name = 'Crime'", token),
        await pipeline([{ $match: { name: "Crime" } }], token, "employment"),
        await sql("SELECT person.name FROM employment", token),
        await sql("SELECT * FROM person", token),
        await http.get("/v1/object/employment", { token, query: { order_by: "person" } }),
      ];
      return replies.map(({ text }) => text).join();
    };
    for (const token of [masked.token, app]) expect(await texts(token)).toContain(NAME);
    await set(true);
    for (const token of [masked.token, app]) {
      expect(await texts(token)).not.toContain(NAME);
      const { body } = await http.get(`/v1/object/employment/${id}`, { token });
      expect(body.person).toEqual({ id: person.body.id, schema: "person" });
      expect(body.owner).toMatchObject({ id: owner.id, name: expect.any(String) });
    }
    for (const token of [unmasked.token, owner.token]) expect(await texts(token)).toContain(NAME);
    // As an earlier release has left it, and the migration completes it.
    const client = await databaseClient();
    const database = client.db(owner.organizationId);
    await database.collection("organization_state").updateOne({}, { $unset: { sensitive_names: "" } });
    await database.collection<{ _id: string }>("_migration").deleteOne({ _id: "sensitive-names-1" });
    await invokeOperation("migrate", { organization_ids: [owner.organizationId] });
    await client.close();
    for (const token of [masked.token, app]) expect(await texts(token)).not.toContain(NAME);
    await set(false);
    for (const token of [masked.token, app]) expect(await texts(token)).toContain(NAME);
  });

  it("is not recorded in the audit trail of the records that refer to it", async () => {
    const field = { object_id: "person", api_name: "name" };
    const set = (sensitive: boolean) =>
      http.patch("/v1/schema/field", { token: owner.token, body: { ...field, sensitive }, expect: 200 });
    const body = { name: "Adler", town: "Trenton" };
    const { id: person } = (await http.post("/v1/object/person", { token: owner.token, body, expect: 201 })).body;
    await set(true);
    const job = { name: "Opera", person };
    const { id } = (await http.post("/v1/object/employment", { token: owner.token, body: job, expect: 201 })).body;
    const path = `/v1/object/employment/${id}`;
    await http.patch(path, { token: owner.token, body: { person: null }, expect: 200 });
    const trail = await sql(`SELECT changes FROM audit_entry WHERE record_id = '${id}' ORDER BY at`, owner.token);
    const reference = { id: person, schema: "person" };
    expect(trail.body.records).toMatchObject([
      { changes: { person: { from: null, to: reference } } },
      { changes: { person: { from: reference, to: null } } },
    ]);
    expect(trail.text).not.toContain("Adler");
    await set(false);
  });

  it("of users is hidden in references, statuses and the history", async () => {
    const set = (sensitive: boolean) =>
      http.patch("/v1/schema/field", {
        token: owner.token,
        body: { object_id: "user", api_name: "name", sensitive },
        expect: 200,
      });
    const texts = async (token: string): Promise<string> => {
      const replies = [
        await http.get(`/v1/object/person/${ids[0]}`, { token, expect: 200 }),
        await http.get(`/v1/object/person/${ids[0]}/history`, { token, expect: 200 }),
        await http.get("/v1/status/users", { token, expect: 200 }),
        await http.get(`/v1/status/user/${unmasked.id}`, { token, expect: 200 }),
        await http.get(`/v1/object/user/${owner.id}`, { token, expect: 200 }),
        await sql("SELECT owner, created_by FROM person", token),
        await pipeline([{ $lookup: { from: "user", localField: "owner.id", foreignField: "_id", as: "o" } }], token),
      ];
      return replies.map(({ text }) => text).join();
    };
    expect(await texts(masked.token)).toContain("Olga Owner");
    await set(true);
    for (const token of [masked.token, app]) expect(await texts(token)).not.toMatch(/Olga Owner|Mia Member/);
    expect(await texts(owner.token)).toContain("Olga Owner");
    await set(false);
    expect(await texts(masked.token)).toContain("Olga Owner");
  });
});

import * as fc from "fast-check";
import type { Binary, Db, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, type HttpReply, http, registerOrganization, type User } from "../../platform.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

type Stored = Document & { _id: string };

/** Every clear text of these tests has it, so that one search finds all of them. */
const MARK = "zqclear";
const SSN = `${MARK}-078-05-1120`;
const MAIL = `${MARK}@example.test`;

let owner: User;
/** Reads and writes patients, without the scope `sensitive:read`. */
let member: User;
let mongo: MongoClient;
let database: Db;

const fields = [
  { name: "SSN", type: "string", encrypted: true, unique: true },
  { name: "Mail", type: "string", format: "email", encrypted: true, indexed: true },
  { name: "Notes", type: "string", format: "text-area", encrypted: true },
  { name: "Code", type: "string", encrypted: true, sensitive: true, indexed: true },
  { name: "Plan", type: "string", encrypted: true, default: `${MARK}-basic` },
  { name: "Ward", type: "string" },
];

const model = (path: string, body: object, method: "post" | "patch" = "post") =>
  http[method](`/v1/schema${path}`, { token: owner.token, body });

const create = (body: unknown, token = owner.token, headers: Record<string, string> = {}) =>
  http.post("/v1/object/patient", { token, body, headers });

const change = (id: string, body: object, token = owner.token) =>
  http.patch(`/v1/object/patient/${id}`, { token, body });

const get = (id: string, token = owner.token) => http.get(`/v1/object/patient/${id}`, { token });

const sql = (q: string, token = owner.token, more: Record<string, string | boolean> = {}): Promise<HttpReply> =>
  http.get("/v1/query", { token, query: { q, ...more } });

const pipeline = (stages: unknown[], token = owner.token, collection = "patient") =>
  http.post("/v1/query/docdb", { token, body: { collection, pipeline: stages } });

const stored = async (id: string): Promise<Stored> => {
  const found = await database.collection<Stored>("patient").findOne({ _id: id });
  if (found === null) throw new Error(`there is no record ${id}`);
  return found;
};

/** Everything in the databases, byte for byte, without the model, where defaults are. */
const everythingStored = async (): Promise<string> => {
  const own = (await database.listCollections().toArray()).filter(({ name }) => name !== "schemas");
  const base = await mongo.db("base").listCollections().toArray();
  const collections = [
    ...own.map(({ name }) => database.collection(name)),
    ...base.map(({ name }) => mongo.db("base").collection(name)),
  ];
  const texts: string[] = [];
  for (const collection of collections) {
    // Entries of the model name its defaults.
    const filter = collection.collectionName === "audit_entry" ? { object: { $ne: "schemas" } } : {};
    for await (const document of collection.find(filter, { raw: true }))
      texts.push(Buffer.from(document as never).toString("latin1"));
  }
  return texts.join("\n");
};

let ada: string;
let bob: string;

beforeAll(async () => {
  owner = await registerOrganization();
  mongo = await databaseClient();
  database = mongo.db(owner.organizationId);
  await http.post("/v1/schema", { token: owner.token, body: { name: "Patient", fields }, expect: 201 });
  const everything = { create: true, read: true, update: true, delete: true };
  const rights = { name: "Patients", object_permissions: { patient: everything, visit: everything } };
  const { body } = await http.post("/v1/object/permission", { token: owner.token, body: rights, expect: 201 });
  member = await addUser(owner.organizationId, { permissions: [body.id] });
  const people = [
    { name: "Ada", ssn: SSN, mail: MAIL, notes: `${MARK} long`, code: `${MARK}-1`, ward: "A" },
    { name: "Bob", ssn: `${SSN}-2`, mail: MAIL, ward: "B" },
  ];
  [ada, bob] = (await create(people)).body.map(({ id }: { id: string }) => id);
});

afterAll(() => mongo.close());

describe("an encrypted field", () => {
  it("is shown in clear by the routes for records, and stored as ciphertext alone", async () => {
    const clear = { ssn: SSN, mail: MAIL, notes: `${MARK} long`, plan: `${MARK}-basic` };
    expect((await get(ada)).body).toMatchObject({ ...clear, code: `${MARK}-1`, ward: "A" });
    expect((await get(bob)).body).toMatchObject({ ssn: `${SSN}-2`, notes: null, code: null });
    const list = await http.get("/v1/object/patient", { token: owner.token, query: { order_by: "name" } });
    expect(list.body[0]).toMatchObject(clear);
    const { ssn, notes, plan } = await stored(ada);
    expect(Object.keys(ssn).sort()).toEqual(["hash", "iv", "key", "tag", "text"]);
    for (const value of [notes, plan]) expect(Object.keys(value).sort()).toEqual(["iv", "key", "tag", "text"]);
    expect(await everythingStored()).not.toContain(MARK);
  });

  it("is encrypted when it is changed, alone and in a batch, and removed by null", async () => {
    const { body } = await create({ name: "Cid", ssn: `${SSN}-3` });
    expect(body).toMatchObject({ ssn: `${SSN}-3`, plan: `${MARK}-basic` });
    const changed = await change(body.id, { ssn: `${SSN}-4`, ward: "C" });
    expect(changed.body).toMatchObject({ ssn: `${SSN}-4`, plan: `${MARK}-basic`, ward: "C" });
    const many = await http.patch("/v1/object/patient", {
      token: owner.token,
      body: [
        { id: body.id, ssn: `${SSN}-5`, mail: null },
        { id: bob, notes: `${MARK} ünï\u0000code 🔑` },
      ],
      expect: 200,
    });
    expect(many.body).toMatchObject([{ ssn: `${SSN}-5` }, { notes: `${MARK} ünï\u0000code 🔑`, ssn: `${SSN}-2` }]);
    expect((await get(bob)).body.notes).toBe(`${MARK} ünï\u0000code 🔑`);
    expect(await everythingStored()).not.toContain(MARK);
    expect((await change(bob, { notes: null })).body.notes).toBeNull();
    expect(await stored(bob)).not.toHaveProperty("notes");
    await http.delete(`/v1/object/patient/${body.id}`, { token: owner.token, expect: 200 });
  });

  it("has a new ciphertext for each record and each change, and equal hashes for equal values of one field", async () => {
    const before = await stored(ada);
    expect((await stored(bob)).mail.text).not.toEqual(before.mail.text);
    expect((await stored(bob)).mail.hash).toBe(before.mail.hash);
    await change(ada, { mail: MAIL });
    const after = await stored(ada);
    expect(after.mail.iv).not.toEqual(before.mail.iv);
    expect(after.mail.hash).toBe(before.mail.hash);
    await change(ada, { code: MAIL });
    expect((await stored(ada)).code.hash).not.toBe(before.mail.hash);
    await change(ada, { code: `${MARK}-1` });
  });

  it("cannot be moved to another record or field, nor changed", async () => {
    const { body } = await create({ name: "Mover", ssn: `${SSN}-moved` });
    const own = await stored(body.id);
    const patients = database.collection<Stored>("patient");
    const tampered = Buffer.from((own.ssn.text as Binary).value());
    tampered[0] = (tampered[0] ?? 0) ^ 1;
    const { hash: _, ...unhashed } = (await stored(ada)).ssn;
    for (const ssn of [unhashed, (await stored(body.id)).plan, { ...own.ssn, text: tampered }]) {
      await patients.updateOne({ _id: body.id }, { $set: { ssn } });
      const refused = await get(body.id);
      expect(refused.status).toBe(500);
      expect(refused.text).not.toContain(MARK);
    }
    await patients.updateOne({ _id: body.id }, { $set: { ssn: own.ssn } });
    expect((await get(body.id)).body.ssn).toBe(`${SSN}-moved`);
    await http.delete(`/v1/object/patient/${body.id}`, { token: owner.token, expect: 200 });
  });

  it("is unique by its hash, also within a batch, and the error says only that the value is taken", async () => {
    const taken = await create({ name: "Twin", ssn: SSN });
    expect([taken.status, taken.body.code]).toEqual([409, "duplicate_value"]);
    expect(taken.body.detail).toBe('The value of "ssn" is taken.');
    expect((await change(bob, { ssn: SSN })).body.detail).toBe('The value of "ssn" is taken.');
    const twice = await create([
      { name: "One", ssn: `${SSN}-9` },
      { name: "Two", ssn: `${SSN}-9` },
    ]);
    expect([twice.status, twice.text.includes(MARK)]).toEqual([409, false]);
    const both = await http.patch("/v1/object/patient", {
      token: owner.token,
      body: [
        { id: ada, ssn: `${SSN}-same` },
        { id: bob, ssn: `${SSN}-same` },
      ],
    });
    expect([both.status, both.text.includes(MARK)]).toEqual([409, false]);
    expect((await change(ada, { ssn: SSN })).status).toBe(200);
  });

  it("is validated like any text, without being echoed", async () => {
    const { status, text } = await create({ name: "Bad", mail: `${MARK}-no-mail`, ssn: { v: MARK }, code: 4711471147 });
    expect(status).toBe(422);
    expect(text).not.toContain(MARK);
    expect(text).not.toContain("4711471147");
    expect((await create(`${MARK} is no record`)).text).not.toContain(MARK);
  });

  it("is masked for callers without the scope if it is sensitive too", async () => {
    expect((await get(ada, member.token)).body).toMatchObject({ ssn: SSN, code: "***" });
    expect((await create({ name: "Masked", code: "***" }, member.token)).body.detail[0].type).toBe("masked_value");
    const q = `SELECT name FROM patient WHERE code = '${MARK}-1'`;
    expect((await sql(q, member.token)).body.detail[0].msg).toContain("sensitive");
    expect((await sql(q)).body.records).toEqual([{ name: "Ada" }]);
    expect((await change(ada, { ward: "A1" }, member.token)).body).toMatchObject({ code: "***", ssn: SSN });
  });

  it("is hidden in the history and the audit trail", async () => {
    const history = await http.get(`/v1/object/patient/${ada}/history`, { token: owner.token, expect: 200 });
    expect(history.body.at(-1).changes).toMatchObject({ ssn: { hidden: true }, plan: { hidden: true } });
    expect(history.text).not.toContain(MARK);
    const trail = await sql("SELECT * FROM audit_entry WHERE object = 'patient'");
    expect(trail.body.records.length).toBeGreaterThan(3);
    expect(trail.text).not.toContain(MARK);
  });

  it("is in the reply to a repeated request, and not in what is stored of it", async () => {
    const headers = { "idempotency-key": "encrypted-once" };
    const body = { name: "Once", ssn: `${SSN}-once` };
    const first = await create(body, owner.token, headers);
    const again = await create(body, owner.token, headers);
    expect(again.body).toEqual(first.body);
    expect(again.body.ssn).toBe(`${SSN}-once`);
    expect(await everythingStored()).not.toContain(MARK);
    await http.delete(`/v1/object/patient/${first.body.id}`, { token: owner.token, expect: 200 });
  });

  it("takes a batch of 500 records with three of them, which are found by the index of the hashes", async () => {
    const body = Array.from({ length: 500 }, (_, n) => ({
      name: `Many ${n}`,
      ssn: `${SSN}-many-${n}`,
      mail: MAIL,
      notes: `${MARK} ${n}`,
      ward: "many",
    }));
    const created = await create(body);
    expect(created.status).toBe(201);
    expect(created.body[499]).toMatchObject({ ssn: `${SSN}-many-499`, notes: `${MARK} 499` });
    const found = await sql(`SELECT name FROM patient WHERE ssn = '${SSN}-many-77'`);
    expect(found.body.records).toEqual([{ name: "Many 77" }]);
    const { body: explained, text } = await sql(`EXPLAIN SELECT name FROM patient WHERE ssn = '${SSN}-many-77'`);
    expect(explained.explain).toMatchObject({ indexes: ["ssn.hash"], warnings: [] });
    expect(text).not.toContain(MARK);
    // The hash of a text, with which a copy of the database could be searched, is not told.
    expect(explained.explain.pipeline[0]).toEqual({ $match: { "ssn.hash": "***" } });
    await database.collection("patient").deleteMany({ ward: "many" });
  });
});

/** Any text of Unicode that a record may hold, and texts that are nearly equal. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 60 }).filter((some) => some.isWellFormed()),
  fc.constantFrom("a", "A", "a ", " a", "ä", "a\u0308", "'", "''", "%", "_", "***", "null", "\u0000"),
);

/** Without SQL's escapes for control characters, which texts in quotes may not have. */
const isQuotable = (some: string): boolean => !/\p{Cc}/u.test(some);

describe("any text", () => {
  it("is read as it was written, and found by SQL in exactly the records that hold it", async () => {
    const { numRuns, seed } = propertyRuns(400);
    const texts = fc.sample(text, { numRuns, seed });
    const body = texts.map((mail, n) => ({ name: `Any ${n}`, ward: "any", token: mail }));
    await model("/field", { object_id: "patient", name: "Token", type: "string", encrypted: true, indexed: true });
    const created = await create(body);
    expect(created.status).toBe(201);
    expect(created.body.map(({ token }: { token: string }) => token)).toEqual(texts);
    const list = await http.get("/v1/object/patient", { token: owner.token, query: { limit: 1000 }, expect: 200 });
    const read = new Map<string, string>(
      list.body.map(({ name, token }: { name: string; token: string }): [string, string] => [name, token]),
    );
    for (const [n, value] of texts.entries()) expect(read.get(`Any ${n}`)).toBe(value);
    for (const value of [...new Set(texts)].filter(isQuotable).slice(0, 40)) {
      const q = `SELECT name FROM patient WHERE token = '${value.replaceAll("'", "''")}' AND ward = 'any'`;
      const {
        status,
        body: found,
        text: told,
      } = await http.post("/v1/query", { token: owner.token, body: { query: q } });
      expect(status, told).toBe(200);
      const names = found.records.map(({ name }: { name: string }) => name).sort();
      expect(names).toEqual(texts.flatMap((each, n) => (each === value ? [`Any ${n}`] : [])).sort());
    }
    await database.collection("patient").deleteMany({ ward: "any" });
    await http.delete("/v1/schema/patient/token", { token: owner.token, expect: 200 });
  });
});

describe("SQL over an encrypted field", () => {
  const names = async (condition: string, more = ""): Promise<string[]> => {
    const { status, body, text } = await sql(`SELECT name FROM patient WHERE ${condition} ORDER BY name${more}`);
    expect(status, text).toBe(200);
    return body.records.map(({ name }: { name: string }) => name);
  };

  it("shows whether there is a value, and no value", async () => {
    const { body, text } = await sql("SELECT name, ssn, notes, code AS c FROM patient ORDER BY name");
    expect(body.records).toEqual([
      { name: "Ada", ssn: "***", notes: "***", c: "***" },
      { name: "Bob", ssn: "***", notes: null, c: null },
    ]);
    for (const q of ["SELECT * FROM patient", "EXPLAIN SELECT * FROM patient"])
      expect((await sql(q)).text).not.toContain(MARK);
    expect(text).not.toContain("hash");
  });

  it("compares values of an indexed field for equality, and tests any for presence", async () => {
    expect(await names(`ssn = '${SSN}'`)).toEqual(["Ada"]);
    expect(await names(`'${SSN}-2' = ssn`)).toEqual(["Bob"]);
    expect(await names(`ssn != '${SSN}'`)).toEqual(["Bob"]);
    expect(await names(`NOT (ssn = '${SSN}')`)).toEqual(["Bob"]);
    expect(await names(`mail = '${MAIL}'`)).toEqual(["Ada", "Bob"]);
    expect(await names(`ssn = '${SSN.toUpperCase()}'`)).toEqual([]);
    // Emails are stored in lower case.
    expect(await names(`mail = '${MAIL.toUpperCase()}'`)).toEqual(["Ada", "Bob"]);
    expect(await names(`ssn IN ('${SSN}', '${SSN}-2', 'none')`)).toEqual(["Ada", "Bob"]);
    expect(await names(`ssn NOT IN ('${SSN}', 'none')`)).toEqual(["Bob"]);
    expect(await names(`code != 'x'`)).toEqual(["Ada"]);
    expect(await names("notes IS NULL")).toEqual(["Bob"]);
    expect(await names("notes IS NOT NULL AND code IS NOT NULL")).toEqual(["Ada"]);
    expect(await names(`ssn = '***'`)).toEqual([]);
    expect(await names(`ssn = '${SSN}' OR ward = 'B'`)).toEqual(["Ada", "Bob"]);
  });

  it("joins other fields and compares it there", async () => {
    const visit = { name: "Visit", fields: [{ name: "Patient", type: "json", format: "lookup", schema: "patient" }] };
    await http.post("/v1/schema", { token: owner.token, body: visit, expect: 201 });
    const visits = [{ name: "V1", patient: ada }, { name: "V2", patient: bob }, { name: "V3" }];
    await http.post("/v1/object/visit", { token: owner.token, body: visits, expect: 201 });
    const inner = `SELECT visit.name, patient.ssn FROM visit JOIN patient ON patient.id = visit.patient WHERE patient.ssn = '${SSN}'`;
    expect((await sql(inner)).body.records).toEqual([{ "visit.name": "V1", "patient.ssn": "***" }]);
    const on = `SELECT visit.name, patient.ssn FROM visit LEFT JOIN patient ON patient.id = visit.patient AND patient.ssn = '${SSN}-2' ORDER BY visit.name`;
    expect((await sql(on)).body.records.map((row: Record<string, unknown>) => row["patient.ssn"])).toEqual([
      null,
      "***",
      null,
    ]);
    const later = `SELECT visit.name FROM visit LEFT JOIN patient ON patient.id = visit.patient WHERE patient.ssn = '${SSN}-2' OR visit.name = 'V3' ORDER BY visit.name`;
    expect((await sql(later)).body.records).toEqual([{ "visit.name": "V2" }, { "visit.name": "V3" }]);
  });

  it.each([
    [`SELECT name FROM patient WHERE ssn LIKE '${MARK}%'`, "ssn is encrypted"],
    [`SELECT name FROM patient WHERE ssn > '${SSN}'`, "ssn is encrypted"],
    [`SELECT name FROM patient WHERE ssn BETWEEN 'a' AND '${SSN}'`, "ssn is encrypted"],
    ["SELECT name FROM patient WHERE ssn = name", "ssn is encrypted"],
    ["SELECT name FROM patient WHERE ssn = mail", "ssn is encrypted"],
    [`SELECT name FROM patient WHERE notes = '${MARK} long'`, "notes is encrypted and has no index"],
    [`SELECT name FROM patient WHERE notes IN ('${MARK} long')`, "notes is encrypted and has no index"],
    ["SELECT name FROM patient ORDER BY ssn", "ssn is encrypted"],
    ["SELECT name, ssn AS s FROM patient ORDER BY s", "ssn is encrypted"],
    ["SELECT ssn, COUNT(*) FROM patient GROUP BY ssn", "ssn is encrypted"],
    ["SELECT COUNT(ssn) FROM patient", "ssn is encrypted"],
    ["SELECT COUNT(DISTINCT mail) FROM patient", "mail is encrypted"],
    ["SELECT MIN(ssn) FROM patient", "ssn is encrypted"],
    ["SELECT DISTINCT mail FROM patient", "mail is encrypted"],
    ["SELECT a.name FROM patient a JOIN patient b ON a.mail = b.mail", "mail is encrypted"],
    ["SELECT visit.name FROM visit JOIN patient ON patient.ssn = visit.name", "ssn is encrypted"],
    ["SELECT ssn.hash FROM patient", "ssn has no parts"],
    ["SELECT name FROM patient WHERE ssn.hash = 'x'", "ssn has no parts"],
    ["SELECT name FROM patient WHERE ssn = 4711471147", "ssn is text; write the value in quotes"],
    ["SELECT * FROM field_data_key", "There is no object field_data_key"],
  ])("refuses %s", async (q, sentence) => {
    const { status, body, text } = await sql(q);
    expect(status).toBe(422);
    expect(body.detail[0].msg).toContain(sentence);
    expect(text).not.toContain(MARK);
    expect(text).not.toContain("4711471147");
  });

  it("cannot be sorted by in a list of records", async () => {
    const { status, body } = await http.get("/v1/object/patient", { token: owner.token, query: { order_by: "ssn" } });
    expect([status, body.detail[0].type]).toEqual([422, "not_sortable"]);
  });
});

describe("a pipeline", () => {
  it("has no encrypted field, whichever stage asks for it", async () => {
    const has = { $project: { all: { $objectToArray: "$$ROOT" } } };
    const stages: [unknown[], string?][] = [
      [[]],
      [[{ $match: { "ssn.hash": { $exists: true } } }]],
      [[{ $match: { ssn: { $exists: true } } }]],
      [[{ $sort: { "ssn.hash": 1 } }, { $project: { ssn: 1, x: "$ssn.hash" } }]],
      [[{ $group: { _id: "$ssn" } }]],
      [[has]],
      [[{ $project: { v: { $getField: "ssn" }, h: "$mail.hash", t: { $type: "$notes" } } }]],
      [[{ $lookup: { from: "patient", localField: "patient.id", foreignField: "_id", as: "p" } }], "visit"],
      [[{ $unionWith: { coll: "patient", pipeline: [has] } }], "visit"],
      [
        [
          {
            $graphLookup: {
              from: "patient",
              startWith: "$patient.id",
              connectFromField: "name",
              connectToField: "_id",
              as: "p",
            },
          },
        ],
        "visit",
      ],
    ];
    const hash = (await stored(ada)).ssn.hash;
    for (const [each, collection] of stages) {
      const { status, text } = await pipeline(each, owner.token, collection);
      expect(status).toBe(200);
      for (const trace of [MARK, hash, '"ssn"', '"iv"']) expect(text).not.toContain(trace);
    }
    expect((await pipeline([{ $match: { ssn: { $exists: true } } }])).body).toEqual([]);
    const closed: unknown[] = [
      { $lookup: { from: "patient", localField: "name", foreignField: "ssn.hash", as: "p" } },
      { $lookup: { from: "field_data_key", localField: "name", foreignField: "_id", as: "p" } },
      {
        $graphLookup: {
          from: "patient",
          startWith: "$name",
          connectFromField: "ssn.hash",
          connectToField: "_id",
          as: "p",
        },
      },
    ];
    for (const stage of closed) expect((await pipeline([stage], owner.token, "visit")).status).toBe(422);
  });
});

describe("the setting `encrypted`", () => {
  const types = (reply: HttpReply): unknown => reply.body.detail?.[0]?.type;
  const field = (settings: object) => model("/field", { object_id: "patient", type: "string", ...settings });
  const alter = (settings: object) => model("/field", { object_id: "patient", ...settings }, "patch");

  it.each([
    ["a number", { type: "number" }],
    ["a date", { type: "string", format: "date" }],
    ["a picklist", { type: "string", format: "enum", values: ["a"] }],
    ["an auto-number", { type: "string", format: "auto-number" }],
    ["a lookup", { type: "json", format: "lookup", schema: "lead" }],
    ["a list", { type: "list" }],
  ])("is refused for %s", async (_, settings) => {
    const refused = await field({ name: "Odd", encrypted: true, ...settings });
    expect([refused.status, types(refused)]).toEqual([422, "not_supported"]);
  });

  it("is refused for names and for standard fields", async () => {
    expect(types(await alter({ api_name: "name", encrypted: true }))).toBe("not_supported");
    const standard = await model("/field", { object_id: "lead", api_name: "phone", encrypted: true }, "patch");
    expect([standard.status, standard.body.code]).toEqual([400, "standard_object"]);
  });

  it("may be given to a new field of a standard object", async () => {
    const added = await model("/field", { object_id: "lead", name: "Passport", type: "string", encrypted: true });
    expect(added.status).toBe(200);
    const body = { name: "Lead", passport: `${MARK}-passport` };
    const lead = await http.post("/v1/object/lead", { token: owner.token, body, expect: 201 });
    expect(lead.body.passport).toBe(`${MARK}-passport`);
    expect(await everythingStored()).not.toContain(MARK);
  });

  it("changes only while no record holds a value, and so do indexes and formats of an encrypted field", async () => {
    const refusals = [
      await alter({ api_name: "ward", encrypted: true }),
      await alter({ api_name: "ssn", encrypted: false }),
      await alter({ api_name: "notes", encrypted: false }),
      await alter({ api_name: "plan", indexed: true }),
      await alter({ api_name: "mail", indexed: false }),
      await alter({ api_name: "mail", format: "text-area", indexed: false }),
      await alter({ api_name: "notes", format: "html" }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(
      refusals.map(() => [409, "values_do_not_fit"]),
    );
    expect(refusals.map(({ body }) => body.detail.split(".")[0])).toEqual([
      '2 records hold values of "ward" in "patient"',
      '2 records hold values of "ssn" in "patient"',
      '1 record holds a value of "notes" in "patient"',
      '2 records hold values of "plan" in "patient"',
      '2 records hold values of "mail" in "patient"',
      '2 records hold values of "mail" in "patient"',
      '1 record holds a value of "notes" in "patient"',
    ]);
    // The hashes are there already.
    expect((await alter({ api_name: "code", unique: true })).status).toBe(200);
    const equal = await alter({ api_name: "mail", unique: true });
    expect([equal.status, equal.body.code, equal.text.includes(MARK)]).toEqual([409, "duplicate_value", false]);
    expect((await field({ name: "Fresh" })).status).toBe(200);
    expect((await alter({ api_name: "fresh", encrypted: true, indexed: true })).status).toBe(200);
    await change(ada, { fresh: `${MARK}-fresh` });
    expect((await sql(`SELECT name FROM patient WHERE fresh = '${MARK}-fresh'`)).body.records).toHaveLength(1);
    await change(ada, { fresh: null });
    expect((await alter({ api_name: "fresh", encrypted: false })).status).toBe(200);
    await change(ada, { fresh: "clear" });
    expect((await stored(ada)).fresh).toBe("clear");
  });

  it("keeps the values of a deleted field for a field that is encrypted too", async () => {
    await field({ name: "Gone", encrypted: true });
    await change(ada, { gone: `${MARK}-gone` });
    await http.delete("/v1/schema/patient/gone", { token: owner.token, expect: 200 });
    for (const settings of [{}, { type: "json", format: "json" }, { encrypted: true, indexed: true }]) {
      const refused = await field({ name: "Gone", ...settings });
      expect([refused.status, refused.body.code]).toEqual([409, "values_do_not_fit"]);
    }
    expect((await field({ name: "Gone", encrypted: true })).status).toBe(200);
    expect((await get(ada)).body.gone).toBe(`${MARK}-gone`);
  });

  it("and validation rules exclude each other", async () => {
    const rule = (condition: string, name = "Rule") =>
      model("/patient/validation-rule", { name, condition, error_message: "No." });
    for (const condition of ["record.ssn == 'x'", "record.ssn == null", "has(old.ssn)", "record['ssn'].size() > 2"]) {
      const refused = await rule(condition);
      expect([refused.status, types(refused)]).toEqual([422, "rule_unsupported"]);
      expect(refused.body.detail[0].msg).toContain('The field "ssn" is encrypted');
    }
    const dry = await http.post("/v1/schema/patient/validation-rule", {
      token: owner.token,
      query: { dry_run: true },
      body: { name: "Dry", condition: `record.ssn == '${SSN}'`, error_message: "No." },
    });
    expect(dry.status).toBe(422);
    await field({ name: "Ruled" });
    expect((await rule("record.ruled == 'x'", "Ruled")).status).toBe(200);
    const refused = await alter({ api_name: "ruled", encrypted: true });
    expect([refused.status, refused.body.code]).toEqual([409, "in_use"]);
    expect(refused.body.detail).toContain('the validation rule "ruled"');
    await http.delete("/v1/schema/patient/ruled?force=true", { token: owner.token, expect: 200 });
    expect((await field({ name: "Ruled", encrypted: true })).body.code).toBe("in_use");
  });

  it("leaves generated models and pulled schemas as they are", async () => {
    const before = await http.get("/v1/schema/patient", { token: owner.token, expect: 200 });
    await http.post("/v1/schema/generate/", { token: owner.token, expect: 200 });
    const after = await http.get("/v1/schema/patient", { token: owner.token, expect: 200 });
    expect(after.body).toEqual(before.body);
    expect(after.body.properties.ssn).toMatchObject({ encrypted: true, unique: true });
    // A collection without an object is described without the values of its encrypted fields.
    await model("", { name: "Vault", fields: [{ name: "Pin", type: "string", encrypted: true, indexed: true }] });
    const body = { name: "V", pin: `${MARK}-pin` };
    await http.post("/v1/object/vault", { token: owner.token, body, expect: 201 });
    await http.delete("/v1/schema/vault?force=true", { token: owner.token, expect: 200 });
    await http.post("/v1/schema/generate/", { token: owner.token, expect: 200 });
    const vault = await http.get("/v1/schema/vault", { token: owner.token, expect: 200 });
    expect(Object.keys(vault.body.properties)).toContain("name");
    expect(Object.keys(vault.body.properties)).not.toContain("pin");
  });
});

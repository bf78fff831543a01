import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../platform.ts";
import { addFunction, contextCall, plantExecution, run } from "./automation/functions.ts";

/** A word that occurs only in the other tenant's data, and must not be in any reply. */
const SECRET = "Zanzibar-7f3a91";

let mine: User;
let theirs: User;
let theirIds: string[];

beforeAll(async () => {
  [mine, theirs] = await Promise.all([registerOrganization("Mine"), registerOrganization(`Theirs ${SECRET}`)]);
  const company = await http.post("/v1/object/company", { token: theirs.token, body: { name: SECRET }, expect: 201 });
  const leads = await http.post("/v1/object/lead", {
    token: theirs.token,
    body: [
      { name: SECRET, company: company.body.id, status: SECRET },
      { name: `${SECRET} two`, email: `${SECRET}@example.com` },
    ],
    expect: 201,
  });
  theirIds = [company.body.id, ...leads.body.map((lead: { id: string }) => lead.id), theirs.id, theirs.organizationId];
  await http.post("/v1/object/lead", { token: mine.token, body: { name: "Mine" }, expect: 201 });
});

const objects = ["lead", "company", "contact", "user", "organization", "permission", "schemas", "organization_state"];
const anyObject = fc.constantFrom(...objects);
const database = () => fc.constantFrom(theirs.organizationId, "base", "admin", "local", "config");
const anyId = () => fc.constantFrom(...theirIds);

/** Object names that try to be paths into another database. */
const crossingName = () =>
  fc.oneof(
    { weight: 5, arbitrary: anyObject },
    { weight: 1, arbitrary: fc.tuple(database(), anyObject).map(([db, name]) => `${db}.${name}`) },
    { weight: 1, arbitrary: fc.tuple(database(), anyObject).map(([db, name]) => `${db}/${name}`) },
    { weight: 1, arbitrary: fc.tuple(database(), anyObject).map(([db, name]) => `../${db}/${name}`) },
    { weight: 1, arbitrary: fc.tuple(database(), anyObject).map(([db, name]) => `${db}\u0000${name}`) },
    { weight: 1, arbitrary: database() },
  );

const literal = () =>
  fc.oneof(
    anyId().map((id) => `'${id}'`),
    fc.constant(`'${SECRET}'`),
    fc.constantFrom("'$$ROOT'", "'$name'", "NULL", "ME", "'%'", `'{"$ne":null}'`),
  );

const condition = () =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom("id", "_id", "name", "owner", "created_by.id", "company.id", "organization_id"), literal())
      .map(([field, value]) => `${field} = ${value}`),
    literal().map((value) => `name LIKE ${value}`),
    fc.tuple(literal(), literal()).map(([a, b]) => `id IN (${a}, ${b})`),
    fc.tuple(database(), anyObject, literal()).map(([db, name, value]) => `${db}.${name}.id = ${value}`),
  );

const selectText = () =>
  fc
    .tuple(fc.constantFrom("*", "id, name", "COUNT(*)"), crossingName(), fc.option(condition()), fc.option(condition()))
    .map(([fields, from, a, b]) => `SELECT ${fields} FROM ${from}${a ? ` WHERE ${a}${b ? ` OR NOT ${b}` : ""}` : ""}`);

/** An error may echo the caller's own input, but not the other tenant's data. */
const leaked = (text: string, sent: string): boolean =>
  (text.includes(SECRET) && !sent.includes(SECRET)) || theirIds.some((id) => text.includes(id) && !sent.includes(id));

const runs = { numRuns: 150 };

/** Queries that always succeed. */
const answered = ["SELECT id, name FROM lead", "SELECT id, name FROM user", "SELECT * FROM lead WHERE name LIKE '%'"];

describe("another tenant's data", () => {
  it("cannot be reached by any query", async () => {
    const statuses: number[] = [];
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(selectText(), fc.boolean(), async (q, post) => {
        const reply = post
          ? await http.post("/v1/query", { token: mine.token, body: { query: q } })
          : await http.get("/v1/query", { token: mine.token, query: { q } });
        expect([200, 422]).toContain(reply.status);
        statuses.push(reply.status);
        expect(leaked(reply.text, q)).toBe(false);
        if (reply.status !== 200) return;
        expect(JSON.stringify(reply.body.records)).not.toContain(theirs.organizationId);
        for (const { name } of reply.body.records) seen.add(name);
      }),
      {
        ...runs,
        examples: answered.flatMap((q): [string, boolean][] => [
          [q, false],
          [q, true],
        ]),
      },
    );
    // The same queries find the caller's own records; otherwise a platform that refuses everything would pass.
    expect(seen).toContain("Mine");
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(2 * answered.length);
    expect(statuses.filter((status) => status === 422).length).toBeGreaterThan(10);
  });

  it("cannot be read, changed, deleted or linked to by its ids, and answers as if it did not exist", async () => {
    const unknown = "01900000-0000-7000-8000-000000000000";
    await fc.assert(
      fc.asyncProperty(anyObject, anyId(), async (object, id) => {
        const token = mine.token;
        const attempts = async (target: string) => [
          await http.get(`/v1/object/${object}/${target}`, { token }),
          await http.patch(`/v1/object/${object}/${target}`, { token, body: { name: "taken" } }),
          await http.patch(`/v1/object/${object}`, { token, body: { id: target, name: "taken" } }),
          await http.delete(`/v1/object/${object}/${target}`, { token }),
          await http.delete(`/v1/object/${object}`, { token, query: { ids: [target] } }),
          await http.post("/v1/object/lead", { token, body: { name: "x", company: target } }),
        ];
        const real = await attempts(id);
        const made = await attempts(unknown);
        for (const [index, reply] of real.entries()) {
          expect(reply.status).toBeGreaterThanOrEqual(400);
          expect(reply.status).toBe(made[index]?.status);
          const blur = (text: string): string =>
            text
              .replaceAll(id, "ID")
              .replaceAll(unknown, "ID")
              .replace(/"request_id":"[^"]*"/, "");
          expect(blur(reply.text)).toBe(blur(made[index]?.text ?? ""));
        }
      }),
      { numRuns: 25 },
    );
    const still = await http.get("/v1/object/lead", { token: theirs.token, expect: 200 });
    expect(still.body.map((lead: { name: string }) => lead.name).sort()).toEqual([SECRET, `${SECRET} two`]);
  });

  it("is not served from a cache that the other tenant warmed", async () => {
    const q = "SELECT id, name FROM lead ORDER BY name";
    for (let round = 0; round < 5; round += 1) {
      const [ours, others] = await Promise.all([
        http.get("/v1/query", { token: mine.token, query: { q }, expect: 200 }),
        http.get("/v1/query", { token: theirs.token, query: { q }, expect: 200 }),
      ]);
      expect(ours.body.records.map((lead: { name: string }) => lead.name)).toEqual(["Mine"]);
      expect(others.body.records).toHaveLength(2);
    }
  });

  it("cannot be entered by switching to it, and the reply does not reveal whether it exists", async () => {
    const real = await http.post("/v1/auth/switch", { token: mine.token, body: { id: theirs.organizationId } });
    const made = await http.post("/v1/auth/switch", { token: mine.token, body: { id: "org_0000000000000000" } });
    const base = await http.post("/v1/auth/switch", { token: mine.token, body: { id: "base" } });
    expect([real.status, made.status, base.status]).toEqual([403, 403, 403]);
    expect(real.body.detail).toBe(made.body.detail);
  });
});

/** Calls what it is told, and gives the result or the error. */
const PROBE = `methods = {
    'records.create': platform.records.create,
    'records.update': platform.records.update,
    'records.delete': platform.records.delete,
    'query.sql': platform.query.sql,
    'query.docdb': platform.query.docdb,
    'workflows.run_function': platform.workflows.run_function,
    'workflows.run_workflow': platform.workflows.run_workflow,
    'metadata.get_config': platform.metadata.get_config,
}
try:
    return {'result': await methods[kwargs['method']](*kwargs['args'])}
except PlatformError as error:
    return {'code': error.code, 'message': error.message, 'details': error.details}`;

describe("another tenant's data and running code", () => {
  const lookup = () =>
    anyId().map((id) => ({ $lookup: { from: "lead", pipeline: [{ $match: { _id: id } }], as: "x" } }));
  const stage = () =>
    fc.oneof(
      lookup(),
      crossingName().map((from) => ({ $lookup: { from, pipeline: [], as: "x" } })),
      crossingName().map((coll) => ({ $unionWith: coll })),
      fc.tuple(database(), anyObject).map(([db, coll]) => ({ $unionWith: { db, coll } })),
      fc.tuple(database(), anyObject).map(([db, coll]) => ({ $lookup: { from: { db, coll }, pipeline: [], as: "x" } })),
      fc.tuple(database(), anyObject).map(([db, coll]) => ({ $out: { db, coll } })),
      anyId().map((id) => ({ $match: { _id: id } })),
    );
  const call = () =>
    fc.oneof(
      fc.tuple(crossingName(), anyId()).map(([object, id]) => ["records.create", object, { name: "x", company: id }]),
      fc.tuple(crossingName(), anyId()).map(([object, id]) => ["records.update", object, id, { name: "taken" }]),
      fc.tuple(crossingName(), anyId()).map(([object, id]) => ["records.delete", object, id]),
      selectText().map((q) => ["query.sql", q]),
      literal().map((value) => ["query.sql", "SELECT id, name FROM lead WHERE id = $1 OR name = $1", [value]]),
      fc.tuple(crossingName(), fc.array(stage(), { maxLength: 3 })).map(([name, all]) => ["query.docdb", name, all]),
      fc.constantFrom("theirs.py", "../theirs.py", `${SECRET}.py`).map((name) => ["workflows.run_function", name]),
      anyId().map((id) => ["workflows.run_workflow", id]),
      fc.constantFrom("theirs", "$$ROOT").map((name) => ["metadata.get_config", name]),
    );

  it("are kept apart, whatever the code asks for", async () => {
    await addFunction(theirs, `return '${SECRET}'`, { file_name: "theirs.py" });
    const config = { name: SECRET, api_name: "theirs", value: SECRET };
    await http.post("/v1/object/app_metadata", { token: theirs.token, body: config, expect: 201 });
    const probe = await addFunction(mine, PROBE);
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(call(), async ([method, ...args]) => {
        const { text, body } = await run(mine, probe, { method, args });
        expect(leaked(text, JSON.stringify(args))).toBe(false);
        seen.add(body.code ?? "result");
        // What was created in the caller's own organization must not mislead the next calls.
        for (const name of Array.isArray(body.result) ? body.result.map(({ name }: { name?: string }) => name) : []) {
          seen.add(String(name));
        }
      }),
      { numRuns: 120, examples: [[["query.sql", "SELECT name FROM lead"]]] },
    );
    expect([...seen]).toEqual(expect.arrayContaining(["Mine", "result", "object_not_found", "validation_failed"]));
    const still = await http.get("/v1/object/lead", { token: theirs.token, expect: 200 });
    expect(still.body.map((lead: { name: string }) => lead.name).sort()).toEqual([SECRET, `${SECRET} two`]);
  });

  it("are kept apart for a token with the name of the other organization", async () => {
    const own = await plantExecution(mine);
    const foreign = await plantExecution(theirs);
    const [, id, secret] = own.token.split(".");
    const [, foreignId, foreignSecret] = foreign.token.split(".");
    const mixed = [
      `${theirs.organizationId}.${id}.${secret}`,
      `${mine.organizationId}.${foreignId}.${foreignSecret}`,
      `${theirs.organizationId}.${foreignId}.${secret}`,
      `${theirs.organizationId}.${id}.${foreignSecret}`,
    ];
    for (const token of mixed) {
      const reply = await contextCall(token, "query.sql", ["SELECT name FROM lead"]);
      expect(`${reply.status} ${reply.body.code}`).toBe("401 unauthenticated");
    }
    const { body } = await contextCall(own.token, "query.sql", ["SELECT name FROM lead WHERE name = 'Mine'"]);
    expect(body).toEqual({ result: [{ name: "Mine" }] });
  });
});

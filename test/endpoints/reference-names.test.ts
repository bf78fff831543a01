import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../platform.ts";

/** Objects whose records are referred to. Each record's name contains its object. */
const objects = ["company", "contact", "lead", "task", "role", "permission"] as const;
type PointedTo = (typeof objects)[number];
const all = [...objects, "invoice", "note", "user"];
const nameOf = (object: string): string => `NAMED-${object}-`;

let owner: User;
let member: User;
let permission: string;
const ids: Partial<Record<string, string>> = {};

const create = async (object: string, fields: object = {}): Promise<string> => {
  const body = { name: `${nameOf(object)}${Object.keys(ids).length}`, ...fields };
  const { id } = (await http.post(`/v1/object/${object}`, { token: owner.token, body, expect: 201 })).body;
  ids[object] = id;
  return id;
};

const change = (object: string, id: string, body: object, token = owner.token) =>
  http.patch(`/v1/object/${object}/${id}`, { token, body });

type Rights = Record<string, { read?: boolean; create?: boolean; update?: boolean }>;

const permit = async (object_permissions: Rights): Promise<void> => {
  await http.patch(`/v1/object/permission/${permission}`, {
    token: owner.token,
    body: { object_permissions, object_field_permissions: {} },
    expect: 200,
  });
};

const sql = (q: string, more: Record<string, string | boolean> = {}) =>
  http.get("/v1/query", { token: member.token, query: { q, ...more } });

const pipeline = (collection: string, stages: unknown[]) =>
  http.post("/v1/query/docdb", { token: member.token, body: { collection, pipeline: stages } });

const references: Readonly<Record<string, readonly string[]>> = {
  contact: ["company"],
  lead: ["company"],
  invoice: ["company", "contact"],
  task: ["related_to"],
  note: ["related_to"],
  user: ["role", "permissions"],
};

beforeAll(async () => {
  owner = await registerOrganization();
  permission = await create("permission", { object_permissions: {} });
  member = await addUser(owner.organizationId, { permissions: [permission] });
  const role = await create("role", { view_access: "full" });
  expect((await change("user", member.id, { role })).status).toBe(200);
  const company = await create("company");
  const contact = await create("contact", { company });
  const lead = await create("lead", { company });
  expect((await change("lead", lead, { shared_with: [{ role, access: "read" }] })).status).toBe(200);
  const task = await create("task", { related_to: { id: contact, schema: "contact" } });
  await create("invoice", { company, contact });
  const targets: Record<PointedTo, string> = { company, contact, lead, task, role, permission };
  for (const [schema, id] of Object.entries(targets)) await create("note", { related_to: { id, schema } });
});

/** All replies with references of the object's records, on each route. */
const repliesAbout = async (object: string): Promise<string[]> => {
  const { token } = member;
  const fields = references[object] ?? [];
  const other = all.filter((name) => name !== object);
  const replies = [
    await http.get(`/v1/object/${object}`, { token }),
    await http.get(`/v1/object/${object}/${ids[object] ?? member.id}`, { token }),
    await change(object, ids[object] ?? member.id, { name: `${nameOf(object)}changed` }, token),
    await http.post(`/v1/object/${object}`, { token, body: { name: nameOf(object) } }),
    await sql(`SELECT * FROM ${object}`),
    await sql(`SELECT * FROM ${object} LIMIT 1`, { count: true }),
    await http.get("/v1/query", {
      token,
      query: { q: `SELECT * FROM ${object}` },
      headers: { accept: "application/x-ndjson" },
    }),
    await pipeline(object, []),
    await pipeline(object, [{ $project: { all: { $objectToArray: "$$ROOT" } } }]),
    await pipeline(object, [{ $group: { _id: null, all: { $push: "$$ROOT" } } }]),
    await pipeline(object, [{ $facet: { all: [{ $sort: { name: 1 } }] } }]),
    await pipeline(object, [{ $unionWith: other[0] }, { $unionWith: { coll: other[1], pipeline: [] } }]),
  ];
  for (const field of fields) {
    replies.push(
      await http.get(`/v1/object/${object}`, { token, query: { order_by: field } }),
      await sql(`SELECT ${field} FROM ${object}`),
      await sql(`SELECT ${field}.name, ${field}.id FROM ${object} WHERE ${field}.name LIKE '%NAMED%'`),
      await sql(`SELECT DISTINCT ${field} FROM ${object}`),
      await sql(`SELECT ${field}, COUNT(*) FROM ${object} GROUP BY ${field}`),
      await sql(`SELECT ${field}.name, MIN(${field}.name) FROM ${object} GROUP BY ${field}.name`),
      await sql(`SELECT user.name, r.${field} FROM user LEFT JOIN ${object} r ON r.owner = user.id`),
      await pipeline(object, [{ $replaceRoot: { newRoot: { $ifNull: [`$${field}`, {}] } } }]),
      await pipeline(object, [{ $unwind: `$${field}` }, { $sortByCount: `$${field}.name` }]),
      await pipeline(object, [{ $match: { [`${field}.id`]: { $exists: true } } }, { $sort: { [field]: 1 } }]),
      await pipeline(object, [{ $match: { [`${field}.name`]: /x/.source } }, { $count: "n" }]),
      await pipeline(object, [{ $group: { _id: `$${field}.name` } }]),
      await pipeline("user", [{ $lookup: { from: object, localField: "id", foreignField: "owner.id", as: "x" } }]),
      await pipeline(object, [
        {
          $graphLookup: {
            from: object,
            startWith: "$id",
            connectFromField: `${field}.id`,
            connectToField: "id",
            as: "x",
          },
        },
      ]),
    );
  }
  return replies.map(({ text, status }) => {
    expect(status).toBeLessThan(500);
    return text;
  });
};

describe("a reference to a record of an unreadable object", () => {
  it("shows no name on any route, with any permissions", async () => {
    const seen = new Set<string>();
    const rights = fc.record({ read: fc.boolean(), create: fc.boolean(), update: fc.boolean() });
    const governed = [...objects, "invoice", "note"];
    const arbitrary = fc.record(Object.fromEntries(governed.map((name) => [name, rights])));
    const everything = Object.fromEntries(governed.map((name) => [name, { read: true, create: true, update: true }]));
    await fc.assert(
      fc.asyncProperty(arbitrary, async (given) => {
        await permit({ ...given, user: { read: true } });
        const replies = (await Promise.all(all.map(repliesAbout))).flat().join("\n");
        for (const object of objects) {
          if (given[object]?.read === true) {
            if (replies.includes(nameOf(object))) seen.add(object);
          } else expect(replies.replaceAll("LIKE '%NAMED%'", "")).not.toContain(nameOf(object));
        }
      }),
      { numRuns: 5, examples: [[everything]], endOnFailure: true },
    );
    expect([...seen].sort()).toEqual([...objects].sort());
  });

  it("is {id, schema} for callers who may not read the object, and has the name for others", async () => {
    await permit({ lead: { read: true, update: true }, note: { read: true } });
    const lead = ids.lead ?? "";
    const hidden = { id: ids.company, schema: "company" };
    const { token } = member;
    expect((await http.get(`/v1/object/lead/${lead}`, { token, expect: 200 })).body.company).toEqual(hidden);
    expect((await change("lead", lead, { status: "New" }, token)).body.company).toEqual(hidden);
    expect((await sql(`SELECT company FROM lead WHERE company = '${ids.company}'`)).body.records).toEqual([
      { company: hidden },
    ]);
    const whole = { ...hidden, name: expect.stringContaining(nameOf("company")) };
    expect((await http.get(`/v1/object/lead/${lead}`, { token: owner.token, expect: 200 })).body.company).toEqual(
      whole,
    );
    const { body } = await sql(
      "SELECT related_to.schema AS of, related_to.name AS name FROM note WHERE related_to IS NOT NULL ORDER BY of",
    );
    const named = body.records.map(({ of, name }: Record<string, string | null>) => [of, name !== null]);
    expect(named).toEqual([...objects].sort().map((object) => [object, object === "lead"]));
  });

  it("cannot be set, and a write that refers to it shows no name", async () => {
    await permit({ lead: { read: true, create: true } });
    const body = { name: "x", company: ids.company };
    const { body: refused } = await http.post("/v1/object/lead", { token: member.token, body, expect: 422 });
    expect(refused.detail[0].msg).toBe('There is no "company" record with this id.');
    expect(JSON.stringify(refused)).not.toContain(nameOf("company"));
  });

  it("keeps its name for others when it is written by a caller who may not read the name", async () => {
    await http.patch(`/v1/object/permission/${permission}`, {
      token: owner.token,
      body: {
        object_permissions: { lead: { read: true, create: true }, company: { read: true } },
        object_field_permissions: { company: { name: { read: false } } },
      },
      expect: 200,
    });
    const body = { name: "x", company: ids.company };
    const { body: made } = await http.post("/v1/object/lead", { token: member.token, body, expect: 201 });
    expect(made.company).toEqual({ id: ids.company, schema: "company" });
    const { body: read } = await http.get(`/v1/object/lead/${made.id}`, { token: owner.token, expect: 200 });
    expect(read.company.name).toContain(nameOf("company"));
  });
});

describe("the shares of a record", () => {
  const shares = async (): Promise<unknown[]> => {
    const { token } = member;
    const path = `/v1/object/lead/${ids.lead}`;
    const { body: history } = await http.get(`${path}/history`, { token, expect: 200 });
    return [
      (await http.get(path, { token, expect: 200 })).body.shared_with,
      (await sql(`SELECT shared_with FROM lead WHERE id = '${ids.lead}'`)).body.records[0].shared_with,
      (await sql(`SELECT DISTINCT shared_with FROM lead WHERE id = '${ids.lead}'`)).body.records[0].shared_with,
      (
        await sql(
          `SELECT user.name, l.shared_with FROM lead l JOIN user ON user.id = l.owner WHERE l.id = '${ids.lead}'`,
        )
      ).body.records[0]["l.shared_with"],
      (await pipeline("lead", [{ $match: { id: ids.lead } }, { $project: { shared_with: 1 } }])).body[0].shared_with,
      history.find(({ changes }: Record<string, object>) => changes !== undefined && "shared_with" in changes).changes
        .shared_with.to,
    ];
  };

  it("show the names of roles to those alone who may read roles", async () => {
    const role = { id: ids.role, schema: "role" };
    await permit({ lead: { read: true }, user: { read: true } });
    for (const shared of await shares()) expect(shared).toEqual([{ role, access: "read" }]);
    const { body } = await pipeline("lead", [{ $match: { "shared_with.role.name": { $exists: true } } }]);
    expect(body).toEqual([]);
    await permit({ lead: { read: true }, user: { read: true }, role: { read: true } });
    const named = { ...role, name: expect.stringContaining(nameOf("role")) };
    for (const shared of await shares()) expect(shared).toEqual([{ role: named, access: "read" }]);
  });
});

describe("sorting by hidden names", () => {
  it("is refused if every name is hidden, and ignores the hidden ones if some are", async () => {
    await permit({ lead: { read: true }, note: { read: true } });
    const list = (object: string, order_by: string) =>
      http.get(`/v1/object/${object}`, { token: member.token, query: { order_by } });
    const refused = await list("lead", "company");
    expect([refused.status, refused.body.detail[0].type]).toEqual([422, "not_sortable"]);
    const { body } = await list("note", "-related_to,-name");
    const names = body.map(({ name }: { name: string }) => name);
    expect(body[0].related_to.schema).toBe("lead");
    expect(names.slice(1)).toEqual(names.slice(1).sort().reverse());
  });

  it("reveals nothing to a cursor that its caller has forged", async () => {
    await permit({ note: { read: true }, lead: { read: true } });
    const q =
      "SELECT note.id, lead.id FROM note LEFT JOIN lead ON lead.id = note.related_to WHERE note.related_to IS NOT NULL ORDER BY related_to.name DESC, lead.name";
    const rowsBehind = async (name: string): Promise<unknown[]> => {
      const position = [1, [name, null, "", null], Date.now() - 1_000];
      const sealed = JSON.stringify([owner.organizationId, member.id, q, position]);
      const seal = createHash("sha256").update(sealed).digest("base64url").slice(0, 16);
      const cursor = Buffer.from(JSON.stringify([seal, ...position])).toString("base64url");
      const reply = await sql(q, { cursor });
      expect(reply.status).toBe(200);
      return reply.body.records;
    };
    // A hidden name is NULL, which comes after every name.
    expect(await rowsBehind("")).toHaveLength(objects.length - 1);
    expect(await rowsBehind("NAMED-a")).toEqual(await rowsBehind(""));
  });
});

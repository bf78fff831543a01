import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";

const all = { create: true, read: true, update: true, delete: true };

let owner: User;
let mongo: MongoClient;
/** Director: subordinate. Managers of north and south below: team. Sellers below north: personal. */
let director: User;
let northern: User;
let southern: User;
let seller: User;
let other: User;
let roles: Record<string, string>;
/** Who owns the deal → its id. */
let deals: Record<string, string>;

const create = async (object: string, body: unknown, user = owner) =>
  (await http.post(`/v1/object/${object}`, { token: user.token, body, expect: 201 })).body;

const assign = async (user: User, role: string | null) => {
  await http.patch(`/v1/object/user/${user.id}`, { token: owner.token, body: { role }, expect: 200 });
};

const listed = async (user: User, object = "deal"): Promise<string[]> => {
  const { body } = await http.get(`/v1/object/${object}`, {
    token: user.token,
    query: { order_by: "name" },
    expect: 200,
  });
  return body.map(({ name }: { name: string }) => name);
};

const queried = async (user: User, q: string): Promise<unknown[][]> => {
  const { body } = await http.get("/v1/query", { token: user.token, query: { q }, expect: 200 });
  return body.records.map((row: object) => Object.values(row));
};

const piped = async (user: User, collection: string, pipeline: unknown[]) =>
  (await http.post("/v1/query/docdb", { token: user.token, body: { collection, pipeline }, expect: 200 })).body;

beforeAll(async () => {
  [owner, mongo] = await Promise.all([registerOrganization(), databaseClient()]);
  for (const body of [
    { name: "Deal", fields: [{ api_name: "amount", name: "Amount", type: "number" }] },
    { name: "Open", ownership: false },
    { name: "Diary", exclusive_ownership: true },
  ]) {
    await http.post("/v1/schema", { token: owner.token, body, expect: 201 });
  }
  await http.post("/v1/schema", {
    token: owner.token,
    body: {
      name: "Step",
      ownership: false,
      fields: [{ api_name: "deal", name: "Deal", type: "json", format: "lookup", schema: "deal" }],
    },
    expect: 201,
  });
  const object_permissions = Object.fromEntries(["deal", "open", "diary", "step"].map((name) => [name, all]));
  const permission = await create("permission", {
    name: "Sales",
    object_permissions: { ...object_permissions, user: { read: true }, role: { read: true } },
  });
  [director, northern, southern, seller, other] = (await Promise.all(
    Array.from({ length: 5 }, () => addUser(owner.organizationId, { permissions: [permission.id] })),
  )) as [User, User, User, User, User];
  const top = await create("role", { name: "Director", view_access: "subordinate" });
  const [north, south] = await create("role", [
    { name: "North", view_access: "team", parent: top.id },
    { name: "South", view_access: "team", parent: top.id },
  ]);
  const selling = await create("role", { name: "Seller", view_access: "personal", parent: north.id });
  const full = await create("role", { name: "Auditor", view_access: "full" });
  roles = { top: top.id, north: north.id, south: south.id, selling: selling.id, full: full.id };
  await assign(director, top.id);
  await assign(northern, north.id);
  await assign(southern, south.id);
  await assign(seller, selling.id);
  await assign(other, selling.id);
  const people = { owner, director, northern, southern, seller, other };
  const bodies = Object.entries(people).map(([name, { id }], index) => ({ name, owner: id, amount: 10 ** index }));
  const made = await create("deal", bodies);
  deals = Object.fromEntries(made.map(({ id, name }: { id: string; name: string }) => [name, id]));
  await create(
    "step",
    Object.entries(deals).map(([name, deal]) => ({ name: `step of ${name}`, deal })),
  );
});

afterAll(() => mongo.close());

describe("the view access of a role", () => {
  it("personal shows one's own records, also to several users of the role", async () => {
    expect(await listed(seller)).toEqual(["seller"]);
    expect(await listed(other)).toEqual(["other"]);
  });

  it("team shows the records of all users of the role", async () => {
    await assign(southern, roles.north ?? "");
    expect(await listed(northern)).toEqual(["northern", "southern"]);
    await assign(southern, roles.south ?? "");
    expect(await listed(northern)).toEqual(["northern"]);
  });

  it("subordinate shows the records of the roles below at any depth", async () => {
    expect(await listed(director)).toEqual(["director", "northern", "other", "seller", "southern"]);
  });

  it("full shows all records, as without a role", async () => {
    await assign(other, roles.full ?? "");
    expect(await listed(other)).toHaveLength(6);
    await assign(other, null);
    expect(await listed(other)).toHaveLength(6);
    await assign(other, roles.selling ?? "");
    expect(await listed(other)).toEqual(["other"]);
  });

  it("shows one's own records alone once the role is deleted", async () => {
    const gone = await create("role", { name: "Short-lived", view_access: "full" });
    await assign(other, gone.id);
    expect(await listed(other)).toHaveLength(6);
    await http.delete(`/v1/object/role/${gone.id}`, { token: owner.token, expect: 200 });
    expect(await listed(other)).toEqual(["other"]);
    await assign(other, roles.selling ?? "");
  });

  it("counts from the next request on after a change of the role", async () => {
    const change = (view_access: string) =>
      http.patch(`/v1/object/role/${roles.selling}`, { token: owner.token, body: { view_access }, expect: 200 });
    await change("team");
    expect(await listed(seller)).toEqual(["other", "seller"]);
    await change("personal");
    expect(await listed(seller)).toEqual(["seller"]);
  });

  it("does not count for objects without owners, users and roles", async () => {
    await create("open", { name: "for all" });
    expect(await listed(seller, "open")).toEqual(["for all"]);
    expect(await listed(seller, "user")).toHaveLength(6);
    expect((await listed(seller, "role")).length).toBeGreaterThan(3);
  });

  it("does not limit administrators with a role", async () => {
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    await assign(admin, roles.selling ?? "");
    expect(await listed(admin)).toHaveLength(6);
  });
});

describe("a role above itself", () => {
  it("is refused, directly and over other roles", async () => {
    for (const parent of [roles.top, roles.selling]) {
      const { body } = await http.patch(`/v1/object/role/${roles.top}`, {
        token: owner.token,
        body: { parent },
        expect: 422,
      });
      expect(body.detail).toMatchObject([{ loc: ["body", "parent"], type: "role_circle" }]);
    }
  });

  it("is refused if one request closes the circle with two roles", async () => {
    const body = [
      { id: roles.north, parent: roles.south },
      { id: roles.south, parent: roles.north },
    ];
    await http.patch("/v1/object/role", { token: owner.token, body, expect: 422 });
    const { body: north } = await http.get(`/v1/object/role/${roles.north}`, { token: owner.token, expect: 200 });
    expect(north.parent.id).toBe(roles.top);
  });
});

describe("records that the caller may not see", () => {
  it("are not found, like records that do not exist", async () => {
    const unknown = await http.get("/v1/object/deal/unknown", { token: seller.token, expect: 404 });
    for (const path of [`/v1/object/deal/${deals.other}`, `/v1/object/deal/${deals.other}/history`]) {
      const { body } = await http.get(path, { token: seller.token, expect: 404 });
      expect(body.detail).toBe(unknown.body.detail);
    }
    const body = { name: "taken over" };
    await http.patch(`/v1/object/deal/${deals.other}`, { token: seller.token, body, expect: 404 });
    await http.delete(`/v1/object/deal/${deals.other}`, { token: seller.token, expect: 404 });
    await http.patch("/v1/object/deal", {
      token: seller.token,
      body: [
        { id: deals.seller, name: "changed" },
        { id: deals.other, name: "taken over" },
      ],
      expect: 404,
    });
    await http.delete(`/v1/object/deal?ids=${deals.seller}&ids=${deals.other}`, { token: seller.token, expect: 404 });
    expect(await listed(owner)).toEqual(["director", "northern", "other", "owner", "seller", "southern"]);
  });

  it("are in no list, count, query, join, group or pipeline", async () => {
    const { headers } = await http.get("/v1/object/deal", { token: seller.token, expect: 200 });
    expect(headers.get("x-total-count")).toBe("1");
    expect(await queried(seller, "SELECT COUNT(*), SUM(amount) FROM deal")).toEqual([[1, 10_000]]);
    expect(await queried(seller, "SELECT name FROM deal WHERE amount < 10")).toEqual([]);
    expect(await queried(seller, "SELECT s.name, d.amount FROM step s JOIN deal d ON s.deal = d.id")).toEqual([
      ["step of seller", 10_000],
    ]);
    expect(
      await queried(seller, "SELECT s.name FROM step s LEFT JOIN deal d ON s.deal = d.id WHERE d.id IS NOT NULL"),
    ).toEqual([["step of seller"]]);
    expect(await piped(seller, "deal", [{ $group: { _id: null, sum: { $sum: "$amount" } } }])).toEqual([
      { _id: null, sum: 10_000 },
    ]);
    const names = { $project: { _id: 0, "found.name": 1 } };
    const lookup = { from: "deal", localField: "deal.id", foreignField: "id", as: "found" };
    const joined = await piped(seller, "step", [{ $lookup: lookup }, { $unwind: "$found" }, names]);
    expect(joined).toEqual([{ found: { name: "seller" } }]);
    const union = [
      { $limit: 1 },
      { $project: { _id: 0, x: 1 } },
      { $unionWith: "deal" },
      { $match: { name: { $exists: true } } },
    ];
    expect(await piped(seller, "open", [...union, { $count: "n" }])).toEqual([{ n: 1 }]);
    const graph = { from: "deal", startWith: "$deal.id", connectFromField: "id", connectToField: "id", as: "found" };
    const walked = await piped(seller, "step", [{ $graphLookup: graph }, { $unwind: "$found" }, names]);
    expect(walked).toEqual([{ found: { name: "seller" } }]);
    const facet = {
      all: [{ $lookup: { ...lookup, pipeline: [{ $match: {} }] } }, { $unwind: "$found" }, { $count: "n" }],
    };
    expect(await piped(seller, "step", [{ $facet: facet }])).toEqual([{ all: [{ n: 1 }] }]);
  });

  it("cannot be referred to, and the refusal is that of a record that does not exist", async () => {
    const refusals = await Promise.all(
      [deals.other, "unknown"].map(async (deal) => {
        const body = { name: "step", deal };
        const reply = await http.post("/v1/object/step", { token: seller.token, body, expect: 422 });
        return reply.body.detail[0].msg;
      }),
    );
    expect(refusals[0]).toBe(refusals[1]);
  });

  it("cannot be recognized by the field of their readers", async () => {
    const query = { q: "SELECT _readers FROM deal" };
    await http.get("/v1/query", { token: seller.token, query, expect: 422 });
    expect(await piped(seller, "deal", [{ $project: { _id: 0, _readers: 1 } }])).toEqual([{}]);
    expect(await piped(seller, "deal", [{ $match: { _readers: { $exists: true } } }])).toEqual([]);
    const { body } = await http.get(`/v1/object/deal/${deals.seller}`, { token: seller.token, expect: 200 });
    expect(Object.keys(body)).not.toContain("_readers");
    const named = { name: "x", _readers: [] };
    await http.post("/v1/object/deal", { token: seller.token, body: named, expect: 422 });
  });

  it("do not show in EXPLAIN, nor do the users whose records are seen", async () => {
    const { text } = await http.get("/v1/query", {
      token: director.token,
      query: { q: "EXPLAIN SELECT name FROM deal" },
      expect: 200,
    });
    for (const hidden of [seller.id, northern.id, "_readers"]) expect(text).not.toContain(hidden);
  });

  it("keep their unique values secret: a duplicate says only that the value is taken", async () => {
    await http.post("/v1/schema/field", {
      token: owner.token,
      body: { object_id: "diary", api_name: "code", name: "Code", type: "string", unique: true },
      expect: 200,
    });
    await create("diary", { name: "secret name", code: "A1" });
    const taken = { name: "mine", code: "A1" };
    const { body, text } = await http.post("/v1/object/diary", { token: seller.token, body: taken, expect: 409 });
    expect(body.code).toBe("duplicate_value");
    expect(text).not.toContain("secret name");
    expect(text).not.toContain(owner.id);
  });

  it("are in no cached answer to a colleague who may see more", async () => {
    const q = "SELECT name FROM deal ORDER BY name";
    expect(await queried(director, q)).toHaveLength(5);
    expect(await queried(seller, q)).toEqual([["seller"]]);
    await assign(seller, roles.full ?? "");
    expect(await queried(seller, q)).toHaveLength(6);
    await assign(seller, roles.selling ?? "");
    expect(await queried(seller, q)).toEqual([["seller"]]);
  });
});

describe("a shared record", () => {
  const share = (shared_with: unknown, user = owner, expected = 200) =>
    http.patch(`/v1/object/deal/${deals.other}`, { token: user.token, body: { shared_with }, expect: expected });
  const change = (body: unknown, expected: number) =>
    http.patch(`/v1/object/deal/${deals.other}`, { token: seller.token, body, expect: expected });
  const remove = (expected: number) =>
    http.delete(`/v1/object/deal/${deals.other}`, { token: seller.token, expect: expected });

  it("with read can be read, and neither changed nor deleted", async () => {
    await share([{ user: seller.id, access: "read" }]);
    expect(await listed(seller)).toEqual(["other", "seller"]);
    expect((await change({ amount: 1 }, 403)).body.detail).toContain(deals.other);
    await remove(403);
  });

  it("with edit can be changed and not deleted, and its owner and shares stay as they are", async () => {
    await share([{ user: seller.id, access: "edit" }]);
    const { body } = await change({ amount: 7 }, 200);
    expect(body.amount).toBe(7);
    await remove(403);
    await change({ owner: seller.id }, 403);
    await change({ shared_with: [{ user: seller.id, access: "delete" }] }, 403);
    // A client may send back what it has read.
    await change({ amount: 8, owner: body.owner, shared_with: body.shared_with }, 200);
  });

  it("counts the highest access of several shares", async () => {
    await share([
      { role: roles.selling, access: "edit" },
      { user: seller.id, access: "read" },
    ]);
    await change({ amount: 9 }, 200);
    await remove(403);
  });

  it("with a role counts for its users alone", async () => {
    await share([{ role: roles.north, access: "read" }]);
    expect(await listed(northern)).toEqual(["northern", "other"]);
    expect(await listed(seller)).toEqual(["seller"]);
    await share([]);
    expect(await listed(northern)).toEqual(["northern"]);
  });

  it("gives no more than the permissions to the object", async () => {
    const permission = await create("permission", { name: "Reads", object_permissions: { deal: { read: true } } });
    const reader = await addUser(owner.organizationId, { permissions: [permission.id] });
    await assign(reader, roles.selling ?? "");
    await share([{ user: reader.id, access: "delete" }]);
    expect(await listed(reader)).toEqual(["other"]);
    await http.delete(`/v1/object/deal/${deals.other}`, { token: reader.token, expect: 403 });
    await share([]);
  });

  it("names a user or a role, once each, and only 200 of them", async () => {
    const refusals: [unknown, string][] = [
      [[{ user: seller.id, role: roles.north, access: "read" }], "object_type"],
      [[{ access: "read" }], "object_type"],
      [[{ role: roles.north, access: "own" }], "enum"],
      [
        [
          { role: roles.north, access: "read" },
          { role: roles.north, access: "edit" },
        ],
        "duplicate",
      ],
      [[{ role: "unknown", access: "read" }], "reference_not_found"],
      [Array.from({ length: 201 }, () => ({ user: seller.id, access: "read" })), "too_big"],
    ];
    for (const [shares, type] of refusals) {
      const { body } = await share(shares, owner, 422);
      expect(body.detail[0].type).toBe(type);
    }
  });

  it("with delete can be deleted", async () => {
    await share([{ user: seller.id, access: "delete" }]);
    await remove(200);
  });

  it("cannot be of an object whose records have one owner alone", async () => {
    const mine = await create("diary", { name: "mine" }, seller);
    // Shared before the object was made exclusive.
    const shared_with = [{ user: { id: seller.id, schema: "user", name: "Mia" }, access: "delete" }];
    const _readers = [`owner:${owner.id}`, `user:${seller.id}`];
    await mongo
      .db(owner.organizationId)
      .collection<{ _id: string }>("diary")
      .updateMany({ _id: { $ne: mine.id } }, { $set: { shared_with, _readers } });
    expect(await listed(seller, "diary")).toEqual(["mine"]);
  });
});

describe("an organization from before records had readers", () => {
  it("shows the same records until it is migrated, and afterwards", async () => {
    const database = mongo.db(owner.organizationId);
    const shares = [
      { user: seller.id, access: "read" },
      { role: roles.north, access: "read" },
    ];
    await http.patch(`/v1/object/deal/${deals.southern}`, {
      token: owner.token,
      body: { shared_with: shares },
      expect: 200,
    });
    const readers = () =>
      database
        .collection("deal")
        .find({}, { projection: { _readers: 1 } })
        .sort({ _id: 1 })
        .toArray();
    const people = [director, northern, southern, seller, other];
    const lists = () => Promise.all(people.map((user) => listed(user)));
    const [expected, stored] = [await lists(), await readers()];
    expect(expected[3]).toEqual(["seller", "southern"]);
    await database.collection("deal").updateMany({}, { $unset: { _readers: "" } });
    await database.collection<{ _id: string }>("_migration").deleteOne({ _id: "readers-1" });
    const states = database.collection<{ _id: string }>("organization_state");
    await states.updateOne({}, { $unset: { has_readers: "" }, $inc: { access_version: 1 } });
    expect(await lists()).toEqual(expected);
    const organization_ids = [owner.organizationId];
    expect(await invokeOperation("migrate", { organization_ids })).toMatchObject({ done: 1, failed: 0 });
    const sorted = (records: readonly Document[]) =>
      records.map((one) => ({ ...one, _readers: one._readers.toSorted() }));
    expect(sorted(await readers())).toEqual(sorted(stored));
    expect(await states.findOne({})).toMatchObject({ has_readers: true });
    expect(await lists()).toEqual(expected);
  });
});

import type { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { addUser, databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let mongo: MongoClient;
let database: Db;

beforeAll(async () => {
  owner = await registerOrganization();
  mongo = await databaseClient();
  database = mongo.db(owner.organizationId);
  const fields = [{ name: "Partners", type: "list", format: "lookup_list", schema: "company" }];
  await http.post("/v1/schema", { token: owner.token, body: { name: "Project", fields }, expect: 201 });
});

afterAll(() => mongo.close());

const create = async (object: string, body: unknown, token = owner.token) =>
  (await http.post(`/v1/object/${object}`, { token, body, expect: 201 })).body;
const patch = (object: string, id: string, body: unknown, expected = 200, token = owner.token) =>
  http.patch(`/v1/object/${object}/${id}`, { token, body, expect: expected });
const read = async (object: string, id: string, token = owner.token) =>
  (await http.get(`/v1/object/${object}/${id}`, { token, expect: 200 })).body;
const query = async (text: string, token = owner.token) =>
  (await http.post("/v1/query", { token, body: { query: text }, expect: 200 })).body.records;
const pending = () => database.collection<{ _id: string }>("pending_rename");

/** Records as an import by an operator would leave them. */
const insertLeads = async (company: { id: string; name: string }, count: number) => {
  const by = { id: owner.id, schema: "user", name: "Olga Owner" };
  const at = new Date();
  const leads = Array.from({ length: count }, (_, index) => ({
    _id: `${company.id}-${index}`,
    id: `${company.id}-${index}`,
    name: `Lead ${index}`,
    company: { id: company.id, schema: "company", name: company.name },
    created_date: at,
    modified_date: at,
    created_by: by,
    modified_by: by,
    owner: by,
    shared_with: [],
  }));
  await database.collection<{ _id: string }>("lead").insertMany(leads);
};

const namesOfLeads = (company: string) =>
  database.collection("lead").distinct("company.name", { "company.id": company });

describe("a renamed record", () => {
  it("has its new name in the references to it, however they are read, and they count as unchanged", async () => {
    const [company, other] = [await create("company", { name: "Acme" }), await create("company", { name: "Other" })];
    const lead = await create("lead", { name: "L", company: company.id });
    const task = await create("task", { name: "T", related_to: { id: company.id, schema: "company" } });
    const project = await create("project", { name: "P", partners: [other.id, company.id] });
    const sql = `SELECT company.name FROM lead WHERE company = '${company.id}'`;
    expect(await query(sql)).toEqual([{ "company.name": "Acme" }]);
    await patch("company", company.id, { name: "Acme & Sons" });
    const reference = { id: company.id, schema: "company", name: "Acme & Sons" };
    expect(await read("lead", lead.id)).toEqual({ ...lead, company: reference });
    expect(await read("task", task.id)).toEqual({ ...task, related_to: reference });
    expect((await read("project", project.id)).partners).toEqual([
      { id: other.id, schema: "company", name: "Other" },
      reference,
    ]);
    const listed = await http.get("/v1/object/lead", { token: owner.token, query: { order_by: "-created_date" } });
    expect(listed.body[0].company).toEqual(reference);
    expect(await query(sql)).toEqual([{ "company.name": "Acme & Sons" }]);
    const pipeline = [{ $match: { "company.name": "Acme & Sons" } }, { $project: { company: 1 } }];
    const body = { collection: "lead", pipeline };
    const found = await http.post("/v1/query/docdb", { token: owner.token, body, expect: 200 });
    expect(JSON.stringify(found.body)).toContain(JSON.stringify(reference));
    const history = await http.get(`/v1/object/lead/${lead.id}/history`, { token: owner.token, expect: 200 });
    expect(history.body.map(({ action }: { action: string }) => action)).toEqual(["created"]);
    expect(await pending().countDocuments()).toBe(0);
  });

  it("has its new name in 5,000 records when the request is answered, in cached queries too", async () => {
    const company = await create("company", { name: "Many" });
    await insertLeads(company, 5_000);
    const sql = `SELECT COUNT(DISTINCT company.name) AS names, MAX(company.name) AS name FROM lead WHERE company = '${company.id}'`;
    for (let round = 0; round < 3; round += 1) expect(await query(sql)).toEqual([{ names: 1, name: "Many" }]);
    await patch("company", company.id, { name: "Very many" });
    expect(await query(sql)).toEqual([{ names: 1, name: "Very many" }]);
    expect(await namesOfLeads(company.id)).toEqual(["Very many"]);
  });

  it("has its new name soon in more records than one request changes", async () => {
    const company = await create("company", { name: "Too many" });
    await insertLeads(company, 20_100);
    await patch("company", company.id, { name: "Finished later" });
    await vi.waitFor(async () => expect(await namesOfLeads(company.id)).toEqual(["Finished later"]), {
      timeout: 120_000,
      interval: 200,
    });
    await vi.waitFor(async () => expect(await pending().countDocuments()).toBe(0), { timeout: 120_000, interval: 100 });
  });

  it("has the newest name everywhere after several renames at once", async () => {
    const company = await create("company", { name: "Start" });
    await insertLeads(company, 1_200);
    const names = Array.from({ length: 8 }, (_, index) => `Name ${index}`);
    await Promise.all(names.map((name) => patch("company", company.id, { name })));
    const { name } = await read("company", company.id);
    expect(names).toContain(name);
    // On a slow machine the requests reach their time limit, and the rest is done later.
    await vi.waitFor(async () => expect(await pending().countDocuments()).toBe(0), { timeout: 120_000, interval: 100 });
    expect(await namesOfLeads(company.id)).toEqual([name]);
  });

  it("has its new name in records that come to refer to it at the same time", async () => {
    const company = await create("company", { name: "Before" });
    const lead = await create("lead", { name: "L" });
    const writes = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0
        ? create("lead", { name: `N${index}`, company: company.id })
        : patch("lead", lead.id, { company: company.id, name: `P${index}` }),
    );
    const renames = Array.from({ length: 4 }, (_, index) => patch("company", company.id, { name: `After ${index}` }));
    await Promise.all([...writes, ...renames]);
    const { name } = await read("company", company.id);
    expect(await namesOfLeads(company.id)).toEqual([name]);
  });

  it("whose request died after the commit has its new name with the next rename of any record", async () => {
    const company = await create("company", { name: "New name" });
    await insertLeads({ id: company.id, name: "Old name" }, 3);
    await pending().insertOne({
      _id: `company/${company.id}`,
      ...{
        object: "company",
        record_id: company.id,
        name: "New name",
        version: "1",
        renamed_at: new Date(Date.now() - 60_000),
      },
    });
    expect(await namesOfLeads(company.id)).toEqual(["Old name"]);
    const note = await create("note", { name: "A" });
    await patch("note", note.id, { body: "No rename" });
    expect(await namesOfLeads(company.id)).toEqual(["Old name"]);
    await patch("note", note.id, { name: "B" });
    expect(await namesOfLeads(company.id)).toEqual(["New name"]);
    expect(await pending().countDocuments()).toBe(0);
  });

  it("whose request died after the commit has its new name when an operator finishes the renames", async () => {
    const company = await create("company", { name: "Finished" });
    await insertLeads({ id: company.id, name: "Left" }, 3);
    const rename = { object: "company", record_id: company.id, name: "Finished", version: "1", renamed_at: new Date() };
    await pending().insertOne({ _id: `company/${company.id}`, ...rename });
    const organization_id = owner.organizationId;
    // Events are delivered at least once.
    const finish = () => invokeOperation("finish-renames", { organization_id });
    expect(await Promise.all([finish(), finish()])).toEqual([{ outcome: "finished" }, { outcome: "finished" }]);
    expect(await namesOfLeads(company.id)).toEqual(["Finished"]);
    expect(await pending().countDocuments()).toBe(0);
    const unknown = invokeOperation("finish-renames", { organization_id: "org_unknown" });
    expect(await unknown).toEqual({ outcome: "unknown_organization" });
  });

  it("has its new name in a batch with other renamed records", async () => {
    const companies = await create("company", [{ name: "One" }, { name: "Two" }, { name: "Three" }]);
    for (const company of companies) await insertLeads(company, 2);
    const body = companies.map(({ id, name }: { id: string; name: string }) => ({ id, name: `${name} again` }));
    await http.patch("/v1/object/company", { token: owner.token, body, expect: 200 });
    for (const { id, name } of companies) expect(await namesOfLeads(id)).toEqual([`${name} again`]);
  });

  it("shows its new name to nobody who may not read it", async () => {
    const body = { name: "Leads", object_permissions: { lead: { create: true, read: true, update: true } } };
    const permission = await create("permission", body);
    const member = await addUser(owner.organizationId, { permissions: [permission.id] });
    const company = await create("company", { name: "Hidden" });
    const lead = await create("lead", { name: "L", company: company.id, owner: member.id });
    await patch("company", company.id, { name: "Still hidden" });
    expect((await read("lead", lead.id, member.token)).company).toEqual({ id: company.id, schema: "company" });
    expect((await read("lead", lead.id)).company.name).toBe("Still hidden");
  });

  it("if it is a user, has the new name as owner and in shares, and the old one as the writer", async () => {
    const user = await addUser(owner.organizationId, { isAccountAdmin: true });
    const lead = await create("lead", { name: "L" }, user.token);
    const shared = await create("lead", { name: "S", shared_with: [{ user: user.id, access: "read" }] });
    expect([lead.owner.name, lead.created_by.name]).toEqual(["Mia Member", "Mia Member"]);
    await patch("user", user.id, { name: "Mia Miller" });
    const after = await read("lead", lead.id);
    expect([after.owner.name, after.created_by.name, after.modified_by.name]).toEqual([
      "Mia Miller",
      "Mia Member",
      "Mia Member",
    ]);
    expect((await read("lead", shared.id)).shared_with).toMatchObject([{ user: { id: user.id, name: "Mia Miller" } }]);
  });
});

describe("a reference to a record that was deleted", () => {
  it("keeps the id, the object and the last name, and may be sent back unchanged", async () => {
    const company = await create("company", { name: "Gone" });
    const lead = await create("lead", { name: "L", company: company.id });
    const project = await create("project", { name: "P", partners: [company.id] });
    await http.delete(`/v1/object/company/${company.id}`, { token: owner.token, expect: 200 });
    const reference = { id: company.id, schema: "company", name: "Gone" };
    expect((await read("lead", lead.id)).company).toEqual(reference);
    await http.get(`/v1/object/company/${company.id}`, { token: owner.token, expect: 404 });
    expect((await patch("lead", lead.id, { company: company.id, name: "M" })).body.company).toEqual(reference);
    expect((await patch("lead", lead.id, { company: reference })).body.company).toEqual(reference);
    expect((await patch("project", project.id, { partners: [reference] })).body.partners).toEqual([reference]);
    const many = [{ id: lead.id, company: reference }];
    const batch = await http.patch("/v1/object/lead", { token: owner.token, body: many, expect: 200 });
    expect(batch.body[0].company).toEqual(reference);
    const other = await create("lead", { name: "Other" });
    const refused = await patch("lead", other.id, { company: company.id }, 422);
    expect(refused.body.detail[0]).toMatchObject({ loc: ["body", "company"], type: "reference_not_found" });
    const mixed = [...many, { id: other.id, company: reference }];
    const both = await http.patch("/v1/object/lead", { token: owner.token, body: mixed, expect: 422 });
    expect(both.body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([["body", 1, "company"]]);
    await patch("lead", lead.id, { company: null });
    await patch("lead", lead.id, { company: company.id }, 422);
  });

  it("keeps the name of a deleted user as the owner", async () => {
    const user = await addUser(owner.organizationId, { isAccountAdmin: true });
    const lead = await create("lead", { name: "L" }, user.token);
    await http.delete(`/v1/object/user/${user.id}`, { token: owner.token, expect: 200 });
    expect((await read("lead", lead.id)).owner).toEqual({ id: user.id, schema: "user", name: "Mia Member" });
    expect((await patch("lead", lead.id, { owner: lead.owner, name: "M" })).body.owner.id).toBe(user.id);
  });
});

describe("a reference to a record that the caller may not read", () => {
  it("may be sent back unchanged, and is refused anew like one that does not exist", async () => {
    const body = { name: "Leads", object_permissions: { lead: { create: true, read: true, update: true } } };
    const permission = await create("permission", body);
    const member = await addUser(owner.organizationId, { permissions: [permission.id] });
    const [company, other] = [await create("company", { name: "Secret" }), await create("company", { name: "Other" })];
    const lead = await create("lead", { name: "L", company: company.id, owner: member.id });
    const shown = await read("lead", lead.id, member.token);
    const kept = await patch("lead", lead.id, { company: shown.company, name: "M" }, 200, member.token);
    expect(kept.body.company).toEqual({ id: company.id, schema: "company" });
    expect((await read("lead", lead.id)).company.name).toBe("Secret");
    const unreadable = await patch("lead", lead.id, { company: other.id }, 422, member.token);
    const missing = await patch("lead", lead.id, { company: "nothing" }, 422, member.token);
    const plain = ({ body: reply }: { body: { detail: { msg: string }[] } }) => reply.detail.map(({ msg }) => msg);
    expect(plain(unreadable)).toEqual(plain(missing));
  });
});

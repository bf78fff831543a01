import type { Db, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";

interface Report {
  run_id: string;
  finished: boolean;
  done: number;
  failed: number;
  skipped: number;
  by_migration: Record<string, number>;
  failures: { organization_id: string; migration: string; reason: string }[];
  preview?: Record<string, Record<string, Document>>;
}

type Stored = Document & { _id: string };

let client: MongoClient;

beforeAll(async () => {
  client = await databaseClient();
});

afterAll(() => client.close());

const migrate = (owners: readonly User[], options: object = {}): Promise<Report> =>
  invokeOperation("migrate", { organization_ids: owners.map(({ organizationId }) => organizationId), ...options });

const databaseOf = ({ organizationId }: User): Db => client.db(organizationId);
const registry = () => client.db("base").collection<Stored>("organization");
const entryOf = ({ organizationId }: User) => registry().findOne({ _id: organizationId });
const schemaOf = (owner: User, object: string) =>
  http.get(`/v1/schema/${object}`, { token: owner.token, expect: 200 }).then(({ body }) => body);

/** An organization as an earlier release has left it: without what came later, and with an extension of its own. */
const olderOrganization = async (): Promise<User> => {
  const owner = await registerOrganization();
  const field = { object_id: "lead", name: "Shoe size", type: "number" };
  await http.post("/v1/schema/field", { token: owner.token, body: field, expect: 200 });
  await http.post("/v1/object/lead", { token: owner.token, body: { name: "Ada", shoe_size: 39 }, expect: 201 });
  const database = databaseOf(owner);
  await database.collection("_migration").drop();
  await database.collection("schemas").deleteOne({ api_name: "audit_entry" });
  await database.collection("schemas").updateOne({ api_name: "lead" }, { $unset: { "properties.company": "" } });
  await database.collection("lead").dropIndexes();
  await database.collection("lead").createIndex({ source: 1 }, { name: "tenantry_source+id" });
  await database.collection("lead").createIndex({ phone: 1 }, { name: "made_by_an_operator" });
  await database.collection("audit_entry").dropIndexes();
  await database.collection<Stored>("auth_credential").insertOne({ _id: "plain", name: "Plain", value: { key: "k" } });
  const change = { $set: { "indexed.lead": "of an earlier release" }, $inc: { schema_version: 1 } };
  await database.collection<Stored>("organization_state").updateOne({ _id: owner.organizationId }, change);
  await registry().updateOne({ _id: owner.organizationId }, { $unset: { migrated: "" } });
  return owner;
};

const indexNames = async (database: Db, collection: string): Promise<string[]> =>
  (await database.collection(collection).listIndexes().toArray()).map(({ name }) => name);

describe("migrate", () => {
  it("says in a dry run what would be done, and changes nothing", async () => {
    const owner = await olderOrganization();
    const before = await databaseOf(owner).collection("schemas").find().toArray();
    const { preview = {}, finished } = await migrate([owner], { dry_run: true });
    expect(finished).toBe(true);
    const found = preview[owner.organizationId] ?? {};
    const model = Object.entries(found).find(([id]) => id.startsWith("standard-model@"))?.[1];
    expect(model).toEqual({ objects: ["audit_entry"], fields: ["lead.company"] });
    expect(found["sealed-values-1"]).toEqual({ unsealed: 1 });
    expect(found.indexes?.objects).toContain("lead");
    expect(await databaseOf(owner).collection("schemas").find().toArray()).toEqual(before);
    expect(await databaseOf(owner).collection("_migration").countDocuments()).toBe(0);
    expect(await entryOf(owner)).not.toHaveProperty("migrated");
  });

  it("adds standard objects, fields and indexes, seals values, and keeps what administrators have added", async () => {
    const owner = await olderOrganization();
    expect(await migrate([owner])).toMatchObject({ finished: true, done: 1, failed: 0, skipped: 0, failures: [] });
    const lead = await schemaOf(owner, "lead");
    expect(lead.properties.company).toMatchObject({ format: "lookup", index_status: "ready" });
    expect(lead.properties.shoe_size).toMatchObject({ name: "Shoe size", type: "number" });
    const { body } = await http.get("/v1/object/lead", { token: owner.token, expect: 200 });
    expect(body).toMatchObject([{ name: "Ada", shoe_size: 39, company: null }]);
    expect((await schemaOf(owner, "audit_entry")).custom).toBe(false);
    const database = databaseOf(owner);
    const names = await indexNames(database, "lead");
    expect(names).toEqual(expect.arrayContaining(["tenantry_company.id+id", "tenantry_status+id"]));
    expect(names).toContain("made_by_an_operator");
    expect(names).not.toContain("tenantry_source+id");
    expect(await indexNames(database, "audit_entry")).toContain("expires_at_ttl");
    const credential = await database.collection<Stored>("auth_credential").findOne({ _id: "plain" });
    expect(Object.keys(credential?.value).sort()).toEqual(["iv", "key", "tag", "text"]);
    const entries = { action: "created", object: "schemas", name: "schemas created: audit_entry" };
    expect(await database.collection("audit_entry").findOne(entries)).not.toHaveProperty("by");
  });

  it("has nothing to do afterwards, nor in a new organization", async () => {
    const [older, fresh] = [await olderOrganization(), await registerOrganization()];
    await migrate([older]);
    const ledger = await databaseOf(older).collection("_migration").find().toArray();
    expect(ledger.map(({ _id }) => _id).sort()).toEqual(
      (await databaseOf(fresh).collection("_migration").find().toArray()).map(({ _id }) => _id).sort(),
    );
    expect(await migrate([older, fresh])).toMatchObject({ done: 2, by_migration: {} });
    expect(await databaseOf(older).collection("_migration").find().toArray()).toEqual(ledger);
    expect((await entryOf(older))?.migrated).toBe((await entryOf(fresh))?.migrated);
  });

  it("records the failure of one organization and goes on with the others, and a later run repairs it", async () => {
    const [broken, whole] = [await olderOrganization(), await olderOrganization()];
    const states = databaseOf(broken).collection<Stored>("organization_state");
    const state = await states.findOneAndDelete({ _id: broken.organizationId });
    const { run_id, ...report } = await migrate([broken, whole]);
    expect(report).toMatchObject({ done: 1, failed: 1 });
    expect(report.failures).toEqual([
      { organization_id: broken.organizationId, migration: "open", reason: "The database has no organization state." },
    ]);
    expect((await entryOf(broken))?.migration_failure).toMatchObject({ run_id, migration: "open" });
    expect(await entryOf(whole)).toHaveProperty("migrated");
    if (state) await states.insertOne(state);
    expect(await migrate([broken])).toMatchObject({ done: 1, failed: 0, failures: [] });
    expect(await entryOf(broken)).not.toHaveProperty("migration_failure");
  });

  it("leaves out an organization that another run works on, until that run's lease has ended", async () => {
    const owner = await olderOrganization();
    const lease = (until: number) => ({
      $set: { migration_lease: { id: "another", until: new Date(Date.now() + until) } },
    });
    await registry().updateOne({ _id: owner.organizationId }, lease(60_000));
    expect(await migrate([owner])).toMatchObject({ done: 0, skipped: 1 });
    await registry().updateOne({ _id: owner.organizationId }, lease(-1));
    expect(await migrate([owner])).toMatchObject({ done: 1, skipped: 0 });
    expect(await entryOf(owner)).not.toHaveProperty("migration_lease");
  });

  it("two runs at once work on each organization once", async () => {
    const owners = await Promise.all([olderOrganization(), olderOrganization(), olderOrganization()]);
    const reports = await Promise.all([migrate(owners), migrate(owners)]);
    expect(reports.map(({ failed }) => failed)).toEqual([0, 0]);
    for (const owner of owners) {
      const entries = { action: "created", object: "schemas", name: "schemas created: audit_entry" };
      expect(await databaseOf(owner).collection("audit_entry").countDocuments(entries)).toBe(1);
    }
  });

  it("begins no more organizations in a second than it is told", async () => {
    const owners = await Promise.all([1, 2, 3, 4].map(() => registerOrganization()));
    const start = performance.now();
    expect(await migrate(owners, { per_second: 4, at_once: 4 })).toMatchObject({ done: 4 });
    expect(performance.now() - start).toBeGreaterThan(740);
  });
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { operatorOf } from "../../infra/demo/operator.ts";
import { welcome } from "../../infra/demo/welcome.ts";
import { startEmbeddedMongo } from "../../infra/local/mongo/start.ts";
import { type Launched, launch } from "../../infra/start.ts";
import { type HttpClient, httpClient } from "../setup/http-client.ts";

const id = z.string();
const factsSchema = z.object({
  ...{ acme: id, beta: id, owner: id, lead: id, company: id, permission: id, credential: id, refresh_token: id },
  client: z.object({ client_id: id, client_secret: id }),
});

/** The data directory of commit 660dcaa, the first release of the platform, written by fixtures/earlier-release. */
const archive = join(import.meta.dirname, "..", "fixtures", "earlier-release", "data.tar.gz");

let dataDir: string;
let platform: Launched;
let http: HttpClient;
let mongo: MongoClient;
let facts: z.output<typeof factsSchema>;
let token: string;

/** `database/collection/id` → document, of all records that users have made. */
const recordsOf = async (client: MongoClient): Promise<Map<string, Document>> => {
  const found = new Map<string, Document>();
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
  for (const { name } of databases.filter((database) => database.name.startsWith("org_"))) {
    for (const object of ["lead", "contact", "company", "invoice", "task", "permission", "app", "function", "user"]) {
      for (const record of await client.db(name).collection(object).find().toArray())
        found.set(`${name}/${object}/${record._id}`, record);
    }
  }
  return found;
};

let before: Map<string, Document>;

const readBefore = async (): Promise<Map<string, Document>> => {
  const database = await startEmbeddedMongo({ dataDir: join(dataDir, "mongo") });
  const client = await new MongoClient(database.uri).connect();
  const records = await recordsOf(client);
  await client.close();
  await database.stop();
  return records;
};

const signIn = async (username: string, password: string): Promise<string> =>
  (await http.post("/v1/oauth2/login", { form: { username, password }, expect: 200 })).body.access_token;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tenantry-earlier-"));
  execFileSync("tar", ["-xzf", archive, "-C", dataDir]);
  facts = factsSchema.parse(JSON.parse(readFileSync(join(dataDir, "facts.json"), "utf8")));
  before = await readBefore();
  platform = await launch({ dataDir, closed: true });
  // As npm start does before it answers.
  await welcome(platform);
  platform.open();
  http = httpClient(platform.url);
  mongo = await new MongoClient(platform.mongoUri).connect();
  token = await signIn("owner@acme.test", "tenantry-demo");
});

afterAll(async () => {
  await mongo?.close();
  await platform?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const get = async (path: string) => (await http.get(path, { token, expect: 200 })).body;
const post = async (path: string, body: unknown, expected: number) =>
  (await http.post(path, { token, body, expect: expected })).body;

describe("data of the first release, opened by this one", () => {
  test("no record is lost, and the values of none have changed", async () => {
    const after = await recordsOf(mongo);
    expect(before.size).toBeGreaterThan(100);
    expect([...after.keys()]).toEqual(expect.arrayContaining([...before.keys()]));
    for (const [key, record] of before) expect(after.get(key), key).toMatchObject(record);
  });

  test("all organizations are up to date before the platform answers, and a second run has nothing to do", async () => {
    const entries = await mongo.db("base").collection<Document>("organization").find().toArray();
    expect(entries).toHaveLength(3);
    expect(new Set(entries.map(({ migrated }) => migrated)).size).toBe(1);
    expect(entries[0]?.migrated).toEqual(expect.any(String));
    expect(await operatorOf(platform)("migrate", {})).toMatchObject({ done: 0, failed: 0, remaining: 0 });
  });

  test("passwords, sessions and apps of then still work", async () => {
    await signIn("member@acme.test", "tenantry-demo");
    await signIn("owner@beta.test", "an earlier password");
    const form = { grant_type: "refresh_token", refresh_token: facts.refresh_token };
    const refreshed = await http.post("/v1/oauth2/refresh", { body: form, expect: 200 });
    const { user } = (await http.get("/v1/auth/load", { token: refreshed.body.access_token, expect: 200 })).body;
    expect(user).toMatchObject({ id: facts.owner, organization_id: facts.acme });
    const app = { grant_type: "client_credentials", ...facts.client };
    const issued = await http.post("/v1/oauth2/token", { form: app, expect: 200 });
    await http.get(`/v1/object/lead/${facts.lead}`, { token: issued.body.access_token, expect: 200 });
  });

  test("records of then are read, queried, changed and deleted", async () => {
    const lead = await get(`/v1/object/lead/${facts.lead}`);
    const company = { id: facts.company, schema: "company", name: "Earlier Ltd" };
    expect(lead).toMatchObject({ name: "Old Friend", email: "old@friend.test", amount: 5, company });
    expect(await get(`/v1/object/permission/${facts.permission}`)).toMatchObject({ name: "Lead readers" });
    const q = "SELECT name, company.name AS employer FROM lead WHERE email = 'old@friend.test'";
    const rows = await get(`/v1/query?${new URLSearchParams({ q })}`);
    expect(JSON.stringify(rows)).toContain("Earlier Ltd");
    const patch = { token, body: { amount: 6 }, expect: 200 };
    expect((await http.patch(`/v1/object/lead/${facts.lead}`, patch)).body.amount).toBe(6);
    const other = await post("/v1/object/lead", { name: "Short-lived" }, 201);
    await http.delete(`/v1/object/lead/${other.id}`, { token, expect: 200 });
    for (const object of ["contact", "company", "invoice", "app", "function"])
      expect((await get(`/v1/object/${object}`)).length).toBeGreaterThan(0);
  });

  test("standard objects and fields of later releases are there, with their indexes", async () => {
    const { custom, properties } = await get("/v1/schema/audit_entry");
    expect([custom, properties.at.index_status]).toEqual([false, "ready"]);
    const indexes = await mongo.db(facts.acme).collection("audit_entry").listIndexes().toArray();
    expect(indexes.map(({ name }) => name)).toEqual(expect.arrayContaining(["expires_at_ttl", "tenantry_at+id"]));
    const keys = await mongo.db(facts.acme).collection("idempotency_key").listIndexes().toArray();
    expect(keys).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  });

  test("changes of old records have a history", async () => {
    const patch = { token, body: { name: "Older Friend" }, expect: 200 };
    await http.patch(`/v1/object/lead/${facts.lead}`, patch);
    expect(JSON.stringify(await get(`/v1/object/lead/${facts.lead}/history`))).toContain("Older Friend");
  });

  test("a credential that was stored in plain is sealed", async () => {
    const credentials = mongo.db(facts.acme).collection<Document & { _id: string }>("auth_credential");
    const stored = await credentials.findOne({ _id: facts.credential });
    expect(JSON.stringify(stored)).not.toContain("stored in plain");
    expect(Object.keys(stored?.value).sort()).toEqual(["iv", "key", "tag", "text"]);
  });

  test("objects, fields, rules and unique values can be added to old objects", async () => {
    const field = { object_id: "lead", name: "Number", type: "string", unique: true };
    await post("/v1/schema/field", field, 200);
    await vi.waitFor(async () => expect((await get("/v1/schema/lead")).properties.number.index_status).toBe("ready"), {
      timeout: 60_000,
      interval: 100,
    });
    await post("/v1/object/lead", { name: "A", number: "1" }, 201);
    await post("/v1/object/lead", { name: "B", number: "1" }, 409);
    const rule = { name: "Small", condition: "record.amount > 1000000", error_message: "Too much" };
    await post("/v1/schema/lead/validation-rule", rule, 200);
    await post("/v1/object/lead", { name: "C", amount: 1_000_001 }, 422);
    await post(
      "/v1/schema",
      { name: "Ticket", fields: [{ name: "Lead", type: "json", format: "lookup", schema: "lead" }] },
      201,
    );
    expect(await post("/v1/object/ticket", { name: "T", lead: facts.lead }, 201)).toMatchObject({
      lead: { id: facts.lead, schema: "lead" },
    });
  });
});

import { rmSync } from "node:fs";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ServiceError } from "../../infra/local/sdk/call.ts";
import { type HttpClient, type HttpReply, httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { mailsOf } from "../setup/mailbox.ts";
import { temporaryDirectory } from "./run.ts";

const SECRET = "zqclear-078-05-1120";
const password = "correct horse battery staple";

/** A hook before KMS handles a request. */
let kms: () => Promise<void> | void = () => undefined;
let launched: LaunchedPlatform;
let http: HttpClient;
let mongo: MongoClient;
const dataDir = temporaryDirectory();

interface Organization {
  readonly token: string;
  readonly id: string;
}

let organizations = 0;

/**
 * A new organization with an object `patient`, in which nothing was encrypted yet. Its mail was sent, because the worker
 * decrypts it by KMS.
 */
const register = async (): Promise<Organization> => {
  organizations += 1;
  const email = `owner-${organizations}@example.test`;
  const { body } = await http.post("/v1/register", {
    body: { organization_name: `Organization ${organizations}`, email, password },
    expect: 201,
  });
  const { access_token: token, organization_id: id } = body;
  const fields = ["SSN", "Mail", "Notes"].map((name) => ({ name, type: "string", encrypted: true, indexed: true }));
  const patient = { name: "Patient", fields: [...fields, { name: "Ward", type: "string" }] };
  await http.post("/v1/schema", { token, body: patient, expect: 201 });
  expect(await mailsOf(mongo.db("base"), launched.access.mailDirectory, email)).toHaveLength(1);
  return { token, id };
};

const path = "/v1/object/patient";

const create = ({ token }: Organization, body: unknown): Promise<HttpReply> => http.post(path, { token, body });

const patient = (name: string) => ({ name, ssn: SECRET, mail: "a@example.test", notes: SECRET, ward: "A" });

const keysOf = ({ id }: Organization) => mongo.db(id).collection<Document>("field_data_key").find().toArray();

const sql = ({ token }: Organization, q: string): Promise<HttpReply> =>
  http.get("/v1/query", { token, query: { q, bypass_cache: true } });

/** Requests that KMS handles from now on. */
const counted = (): { calls: number } => {
  const counter = { calls: 0 };
  kms = () => {
    counter.calls += 1;
  };
  return counter;
};

const down = (): never => {
  throw new ServiceError("DisabledException", "The key is disabled.");
};

const refusedBy = ({ status, body, headers }: HttpReply): unknown[] => [status, body.code, headers.get("retry-after")];
const unavailable = [503, "dependency_unavailable", "5"];

beforeAll(async () => {
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    pausesJobs: true,
    // Longer than the tests run, so that no function starts anew while KMS refuses.
    environments: { most: 64, idle: 600_000 },
    beforeCall: (service) => (service === "kms" ? kms() : undefined),
  });
  http = httpClient(launched.access.url);
  mongo = await new MongoClient(launched.access.mongoUri).connect();
  // Each function fetches the public keys once.
  const { token } = await register();
  const { id } = (await http.post(path, { token, body: { name: "Warm" }, expect: 201 })).body;
  await http.get(path, { token, expect: 200 });
  await http.get(`${path}/${id}`, { token, expect: 200 });
  await http.patch(`${path}/${id}`, { token, body: { name: "Warm" }, expect: 200 });
  await http.patch(path, { token, body: { id, name: "Warm" }, expect: 200 });
  await http.get("/v1/query", { token, query: { q: "SELECT name FROM patient" }, expect: 200 });
  await http.post("/v1/query/docdb", { token, body: { collection: "patient", pipeline: [] }, expect: 200 });
  await http.post("/v1/object/lead", { token, body: { name: "Warm" }, expect: 201 });
  await http.delete(`${path}/${id}`, { token, expect: 200 });
});

beforeEach(() => {
  kms = () => undefined;
});

afterAll(async () => {
  await mongo.close();
  await launched.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("the data key of an organization", () => {
  it("takes one call to KMS for the first batch of 500 records with three encrypted fields, and none for the next", async () => {
    const organization = await register();
    const counter = counted();
    const batch = Array.from({ length: 500 }, (_, n) => patient(`P ${n}`));
    expect((await create(organization, batch)).status).toBe(201);
    expect(counter.calls).toBe(1);
    expect((await create(organization, batch)).status).toBe(201);
    expect(counter.calls).toBe(1);
    // Another function has another execution environment.
    const list = await http.get(path, { token: organization.token, query: { limit: 1000 }, expect: 200 });
    expect(list.body.every(({ ssn }: { ssn: string }) => ssn === SECRET)).toBe(true);
    expect(counter.calls).toBe(2);
    expect(await keysOf(organization)).toHaveLength(1);
  });

  it("is not asked for by objects and queries without encrypted values", async () => {
    const organization = await register();
    const counter = counted();
    const { token } = organization;
    await http.post("/v1/object/lead", { token, body: { name: "Lead" }, expect: 201 });
    const { body } = await http.post(path, { token, body: { name: "Plain", ward: "A" }, expect: 201 });
    expect(body.ssn).toBeNull();
    expect((await sql(organization, `SELECT * FROM patient WHERE ssn = '${SECRET}'`)).body.records).toEqual([]);
    expect(counter.calls).toBe(0);
    expect(await keysOf(organization)).toEqual([]);
    await create(organization, patient("Ada"));
    const before = counter.calls;
    expect((await sql(organization, "SELECT name, ssn FROM patient WHERE ward = 'A'")).status).toBe(200);
    expect(counter.calls).toBe(before);
  });

  it("is one key if two requests write the first encrypted values at the same time", async () => {
    const organization = await register();
    let waiting = 0;
    let release = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    kms = () => {
      waiting += 1;
      if (waiting >= 2) release();
      return both;
    };
    const written = await Promise.all(["Ada", "Bob"].map((name) => create(organization, patient(name))));
    expect(written.map(({ status }) => status)).toEqual([201, 201]);
    expect(await keysOf(organization)).toHaveLength(1);
    const { body } = await http.get(path, { token: organization.token, expect: 200 });
    expect(body.map(({ ssn }: { ssn: string }) => ssn)).toEqual([SECRET, SECRET]);
    const found = await sql(organization, `SELECT name FROM patient WHERE ssn = '${SECRET}' ORDER BY name`);
    expect(found.body.records).toEqual([{ name: "Ada" }, { name: "Bob" }]);
  });

  it("is of no use to another organization", async () => {
    const [mine, theirs] = [await register(), await register()];
    await create(mine, patient("Ada"));
    const [key] = await keysOf(mine);
    await mongo
      .db(theirs.id)
      .collection<Document>("field_data_key")
      .insertOne(key as Document);
    const refused = await create(theirs, patient("Eve"));
    expect(refused.status).toBe(500);
    expect(refused.text).not.toContain(SECRET);
    expect(await mongo.db(theirs.id).collection("patient").countDocuments()).toBe(0);
  });
});

describe("while KMS refuses", () => {
  it("encrypted values are neither written nor read, and the reply says to retry", async () => {
    const organization = await register();
    const { token } = organization;
    kms = down;
    const refused = await create(organization, patient("First"));
    expect(refusedBy(refused)).toEqual(unavailable);
    expect(refused.body.detail).toBe("Encrypted fields cannot be written right now, so nothing was stored; try again.");
    expect(refused.text).not.toContain(SECRET);
    expect(await mongo.db(organization.id).collection("patient").countDocuments()).toBe(0);
    expect(await keysOf(organization)).toEqual([]);
    kms = () => undefined;
    const { id } = (await create(organization, patient("Ada"))).body;
    const before = await mongo.db(organization.id).collection("patient").find().toArray();
    kms = down;
    const replies = [
      await http.get(`${path}/${id}`, { token }),
      await http.get(path, { token }),
      await http.patch(`${path}/${id}`, { token, body: { ssn: "new" } }),
      await http.patch(`${path}/${id}`, { token, body: { ward: "B" } }),
      await http.patch(path, { token, body: [{ id, ward: "B" }] }),
      await sql(organization, `SELECT name FROM patient WHERE ssn = '${SECRET}'`),
    ];
    expect(replies.map(refusedBy)).toEqual(replies.map(() => unavailable));
    expect(await mongo.db(organization.id).collection("patient").find().toArray()).toEqual(before);
    const logs = launched.platform.logs(`tenantry-${launched.access.stage}-create-records`).join("\n");
    expect(logs).not.toContain(SECRET);
  });

  it("other objects, queries of other fields and deletions go on", async () => {
    const organization = await register();
    const { token } = organization;
    const { id } = (await create(organization, patient("Ada"))).body;
    kms = down;
    await http.post("/v1/object/lead", { token, body: { name: "Lead" }, expect: 201 });
    const rows = await sql(organization, "SELECT name, ssn FROM patient WHERE ssn IS NOT NULL");
    expect(rows.body.records).toEqual([{ name: "Ada", ssn: "***" }]);
    await http.post("/v1/query/docdb", { token, body: { collection: "patient", pipeline: [] }, expect: 200 });
    await http.delete(`${path}/${id}`, { token, expect: 200 });
  });

  it("an environment that has read the key reads values with it for minutes", async () => {
    const organization = await register();
    const { id } = (await create(organization, patient("Ada"))).body;
    await http.get(`${path}/${id}`, { token: organization.token, expect: 200 });
    kms = down;
    const { body } = await http.get(`${path}/${id}`, { token: organization.token, expect: 200 });
    expect(body.ssn).toBe(SECRET);
  });
});

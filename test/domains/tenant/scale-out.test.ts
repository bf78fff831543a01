import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseClient, forge, http, registerOrganization, type User } from "../../platform.ts";
import { copyOrganizations, type Stored } from "../../setup/copy-organization.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { type HttpClient, httpClient } from "../../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../../setup/launch-platform.ts";

describe("one execution environment that serves 1,000 organizations", () => {
  const ORGANIZATIONS = 1_000;
  let mongo: MongoClient;
  let user: User;
  let leadId: string;
  let organizations: string[];

  beforeAll(async () => {
    mongo = await databaseClient();
    user = await registerOrganization();
    const lead = await http.post("/v1/object/lead", {
      token: user.token,
      body: { name: "Same everywhere" },
      expect: 201,
    });
    leadId = lead.body.id;
    organizations = await copyOrganizations(mongo, user.organizationId, ORGANIZATIONS);
  });
  afterAll(() => mongo.close());

  const commands = async (): Promise<number> => {
    const { opcounters } = await mongo.db("admin").command({ serverStatus: 1 });
    return Number(opcounters.query) + Number(opcounters.command) + Number(opcounters.getmore);
  };

  const visit = async (tokens: readonly string[]): Promise<void> => {
    for (const token of tokens) await http.get(`/v1/object/lead/${leadId}`, { token, expect: 200 });
  };

  const cost = async (tokens: readonly string[]): Promise<number> => {
    await visit(tokens);
    const before = await commands();
    await visit(tokens);
    return ((await commands()) - before) / tokens.length;
  };

  it("asks the database as often per request as one that serves ten", { timeout: 120_000 }, async () => {
    const claims = claimsOf(user.token);
    const tokens = await Promise.all(organizations.map((org) => forge.sign({ ...claims, org })));
    const few = await cost(tokens.slice(0, 10));
    const many = await cost(tokens);
    // The caller's standing and the record: nothing else, however many organizations there are.
    expect(Math.round(few)).toBe(2);
    expect(Math.round(many)).toBe(2);
  });
});

describe("two clusters side by side", () => {
  let dataDir: string;
  let platform: LaunchedPlatform;
  let client: HttpClient;
  let first: MongoClient;
  let second: MongoClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "tenantry-clusters-"));
    platform = await launchPlatform({ dataDir, extraClusters: ["second"] });
    client = httpClient(platform.access.url);
    first = await new MongoClient(platform.access.mongoUri).connect();
    second = await new MongoClient(platform.access.clusters.second ?? "").connect();
  });
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await platform?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const register = async (index: number): Promise<{ token: string; id: string }> => {
    const { body } = await client.post("/v1/register", {
      body: {
        organization_name: `Cluster test ${index}`,
        email: `owner-${index}@clusters.test`,
        password: "correct horse battery staple",
      },
      expect: 201,
    });
    return { token: body.access_token, id: body.organization_id };
  };

  it("places each new organization on the open cluster with the fewest and keeps its data there", async () => {
    const organizations = [];
    for (let index = 0; index < 4; index += 1) organizations.push(await register(index));
    for (const { token, id } of organizations) {
      await client.post("/v1/object/lead", { token, body: { name: `of ${id}` }, expect: 201 });
      const { body } = await client.get("/v1/query", { token, query: { q: "SELECT name FROM lead" }, expect: 200 });
      expect(body.records).toEqual([{ name: `of ${id}` }]);
    }
    const registry = await first.db("base").collection<Stored>("organization").find().toArray();
    const placed = new Map(registry.map((entry) => [entry._id, entry.cluster]));
    expect(organizations.map(({ id }) => placed.get(id)).sort()).toEqual(["default", "default", "second", "second"]);
    for (const { id } of organizations) {
      const home = placed.get(id) === "second" ? second : first;
      const elsewhere = home === second ? first : second;
      expect(await home.db(id).collection("lead").countDocuments()).toBe(1);
      expect(await elsewhere.db(id).listCollections().toArray()).toEqual([]);
    }
  });

  it("places none on a cluster that an operator has closed", async () => {
    const clusters = first.db("base").collection<Stored>("cluster");
    await clusters.updateOne({ _id: "default" }, { $set: { open: false } });
    const made = [await register(10), await register(11), await register(12)];
    const registry = first.db("base").collection<Stored>("organization");
    for (const { id } of made) expect((await registry.findOne({ _id: id }))?.cluster).toBe("second");
  });
});

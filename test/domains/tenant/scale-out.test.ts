import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { copyOrganizations, type Stored } from "../../setup/copy-organization.ts";
import { claimsOf, tokenForge } from "../../setup/forge-token.ts";
import { type HttpClient, httpClient } from "../../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../../setup/launch-platform.ts";
import { outboxIsHandled } from "../../setup/outbox.ts";

/** Separate platforms, so that other tests do not disturb the counts. */
const launchAlone = async (
  extraClusters: readonly string[],
): Promise<LaunchedPlatform & { readonly remove: () => Promise<void> }> => {
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-scale-out-"));
  const launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    extraClusters,
    pausesJobs: true,
  });
  const remove = async (): Promise<void> => {
    await launched.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...launched, remove };
};

const register = async (client: HttpClient, index: number): Promise<{ token: string; id: string }> => {
  const { body } = await client.post("/v1/register", {
    body: {
      organization_name: `Scale-out ${index}`,
      email: `owner-${index}@scale-out.test`,
      password: "correct horse battery staple",
    },
    expect: 201,
  });
  return { token: body.access_token, id: body.organization_id };
};

describe("an execution environment that serves 1,000 organizations", () => {
  const ORGANIZATIONS = 1_000;
  let launched: Awaited<ReturnType<typeof launchAlone>>;
  let client: HttpClient;
  let mongo: MongoClient;
  let owner: { token: string; id: string };
  let leadId: string;
  let organizations: string[];

  beforeAll(async () => {
    launched = await launchAlone([]);
    client = httpClient(launched.access.url);
    mongo = await new MongoClient(launched.access.mongoUri).connect();
    owner = await register(client, 0);
    const lead = await client.post("/v1/object/lead", {
      token: owner.token,
      body: { name: "Everywhere" },
      expect: 201,
    });
    leadId = lead.body.id;
    organizations = await copyOrganizations(mongo, owner.id, ORGANIZATIONS);
    // No mail is sent while commands are counted.
    await outboxIsHandled(mongo.db("base"));
  });
  afterAll(async () => {
    await mongo?.close();
    await launched?.remove();
  });

  const commands = async (): Promise<number> => {
    const { opcounters } = await mongo.db("admin").command({ serverStatus: 1 });
    return Number(opcounters.query) + Number(opcounters.command) + Number(opcounters.getmore);
  };

  const visit = async (tokens: readonly string[]): Promise<void> => {
    for (const token of tokens) await client.get(`/v1/object/lead/${leadId}`, { token, expect: 200 });
  };

  const cost = async (tokens: readonly string[]): Promise<number> => {
    await visit(tokens);
    const before = await commands();
    await visit(tokens);
    return ((await commands()) - before) / tokens.length;
  };

  it("sends as many commands for each request as one that serves ten", async () => {
    const claims = claimsOf(owner.token);
    const forge = tokenForge(launched.access);
    const tokens = await Promise.all(organizations.map((org) => forge.sign({ ...claims, org })));
    const few = await cost(tokens.slice(0, 10));
    const many = await cost(tokens);
    // The caller's rights and the record, with any number of organizations.
    expect(Math.round(few)).toBe(2);
    expect(Math.round(many)).toBe(2);
  });
});

describe("two clusters side by side", () => {
  let launched: Awaited<ReturnType<typeof launchAlone>>;
  let client: HttpClient;
  let first: MongoClient;
  let second: MongoClient;

  beforeAll(async () => {
    launched = await launchAlone(["second"]);
    client = httpClient(launched.access.url);
    first = await new MongoClient(launched.access.mongoUri).connect();
    second = await new MongoClient(launched.access.clusters.second ?? "").connect();
  });
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await launched?.remove();
  });

  it("places each new organization on the open cluster with the fewest and keeps its data there", async () => {
    const organizations = [];
    for (let index = 0; index < 4; index += 1) organizations.push(await register(client, index));
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
    const made = [await register(client, 10), await register(client, 11), await register(client, 12)];
    const registry = first.db("base").collection<Stored>("organization");
    for (const { id } of made) expect((await registry.findOne({ _id: id }))?.cluster).toBe("second");
  });
});

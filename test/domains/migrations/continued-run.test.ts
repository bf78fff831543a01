import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { databaseClient, registerOrganization } from "../../platform.ts";

type Stored = Document & { _id: string };
type Migrate = typeof import("#shared/migrations/migrations").migrateAll;

let client: MongoClient;
/** The function's own code, in this process, so that the time that is left can be chosen. */
let migrateAll: Migrate;

beforeAll(async () => {
  client = await databaseClient();
  const { awsEndpoint, region, credentials, stage } = inject("platform");
  const parameters = new SSMClient({ endpoint: awsEndpoint, region, credentials });
  const parameter = async (name: string): Promise<string | undefined> =>
    (await parameters.send(new GetParameterCommand({ Name: `/tenantry/${stage}/${name}` }))).Parameter?.Value;
  Object.assign(process.env, {
    STAGE: stage,
    MONGODB_SECRET_ARN: await parameter("mongodb-secret-arn"),
    DATA_KEY_ARN: await parameter("data-key-arn"),
    AWS_REGION: region,
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
  });
  ({ migrateAll } = await import("#shared/migrations/migrations"));
});

afterAll(() => client.close());

const registry = () => client.db("base").collection<Stored>("organization");
const runOf = (id: string) => client.db("base").collection<Stored>("migration_run").findOne({ _id: id });

const olderOrganizations = async (count: number): Promise<string[]> => {
  const owners = await Promise.all(Array.from({ length: count }, () => registerOrganization()));
  const ids = owners.map(({ organizationId }) => organizationId).sort();
  for (const id of ids) await client.db(id).collection("_migration").deleteMany({});
  await registry().updateMany({ _id: { $in: ids } }, { $unset: { migrated: "" } });
  return ids;
};

const options = { dry_run: false, at_once: 1, per_second: 0, invocation: 1 };
const migrated = (ids: readonly string[]) => registry().countDocuments({ _id: { $in: [...ids] }, migrated: /./ });

describe("a run of the migrations whose time ends", () => {
  it("invokes the function again, which goes on where it has stopped", async () => {
    const ids = await olderOrganizations(4);
    let calls = 0;
    const remaining = (): number => {
      calls += 1;
      return calls <= 3 ? 900_000 : 30_000;
    };
    const report = await migrateAll({ ...options, organization_ids: ids, remaining });
    expect(report).toMatchObject({ finished: false, done: 2, failed: 0 });
    await vi.waitFor(async () => expect(await runOf(report.run_id)).toHaveProperty("finished"), {
      timeout: 120_000,
      interval: 100,
    });
    expect(await migrated(ids)).toBe(4);
    expect(await runOf(report.run_id)).toMatchObject({ done: 4, failed: 0, skipped: 0, invocations: 2 });
  });

  it("is given up with an error if nothing was done in it, so that no function invokes itself for ever", async () => {
    const ids = await olderOrganizations(1);
    const hopeless = migrateAll({ ...options, organization_ids: ids, remaining: () => 30_000 });
    await expect(hopeless).rejects.toThrow("does not get on");
    expect(await migrated(ids)).toBe(0);
  });

  it("repeats nothing if the process was killed, and the next run does what is left", async () => {
    const ids = await olderOrganizations(3);
    const [first = ""] = ids;
    await migrateAll({ ...options, organization_ids: [first], remaining: () => 900_000 });
    const ledger = await client.db(first).collection("_migration").find().toArray();
    // The lease and half of a ledger of the killed process.
    const lease = { id: "killed", until: new Date(Date.now() - 1) };
    await registry().updateOne({ _id: ids[1] ?? "" }, { $set: { migration_lease: lease } });
    const done = { _id: "own-indexes-1", at: new Date(), duration: 1, result: { by: "killed" } };
    await client.db(ids[1]).collection<Stored>("_migration").insertOne(done);
    const report = await migrateAll({ ...options, organization_ids: ids, remaining: () => 900_000 });
    expect(report).toMatchObject({ finished: true, done: 3 });
    expect(report.by_migration["own-indexes-1"]).toBe(1);
    expect(await client.db(first).collection("_migration").find().toArray()).toEqual(ledger);
    expect(await client.db(ids[1]).collection<Stored>("_migration").findOne({ _id: done._id })).toEqual(done);
  });
});

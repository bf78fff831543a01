import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type EmbeddedMongo, startEmbeddedMongo } from "../../../infra/local/mongo/start.ts";
import { type HttpClient, httpClient } from "../../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../../setup/launch-platform.ts";
import { outboxIsHandled } from "../../setup/outbox.ts";

/** A platform and a database of their own, because commands are counted. */
let directory: string;
let database: EmbeddedMongo;
let launched: LaunchedPlatform;
let http: HttpClient;
let mongo: MongoClient;
let organizationId: string;

const password = "correct horse battery staple";
const wrong = "some wrong password";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tenantry-equal-work-"));
  database = await startEmbeddedMongo({ dataDir: join(directory, "database") });
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir: directory,
    mongoUri: database.uri,
    pausesJobs: true,
  });
  http = httpClient(launched.access.url);
  mongo = await new MongoClient(database.uri).connect();
  const owner = { organization_name: "Counted", email: "owner@counted.test", password };
  organizationId = (await http.post("/v1/register", { body: owner, expect: 201 })).body.organization_id;
});
afterAll(async () => {
  await mongo.close();
  await launched.stop();
  await database.stop();
  await rm(directory, { recursive: true, force: true });
});

let made = 0;
const newEmail = (): string => {
  made += 1;
  return `person-${made}@counted.test`;
};

const newAccount = async (): Promise<string> => {
  const { awsEndpoint, region, credentials, stage } = launched.access;
  const lambda = new LambdaClient({ endpoint: awsEndpoint, region, credentials });
  const email = newEmail();
  const account = { organization_id: organizationId, email, name: "Mia Member", password };
  const FunctionName = `tenantry-${stage}-create-user`;
  const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(account) }));
  expect(FunctionError).toBeUndefined();
  return email;
};

const login = (username: string, secret: string) =>
  http.post("/v1/oauth2/login", { form: { username, password: secret } });

/** The number of commands of each kind for some work. The driver's heartbeats are not counted. */
const commandsOf = async (work: () => Promise<unknown>): Promise<Record<string, number>> => {
  // Mails of earlier work are sent meanwhile.
  await outboxIsHandled(mongo.db("base"));
  const counters = async (): Promise<Record<string, number>> =>
    (await mongo.db("admin").command({ serverStatus: 1 })).opcounters;
  const before = await counters();
  await work();
  const after = await counters();
  return Object.fromEntries(
    ["query", "insert", "update", "delete"].map((kind) => [kind, Number(after[kind]) - Number(before[kind])]),
  );
};

/** The failures of an email until it is locked, and one more. */
const failuresOf = async (email: string, secret = wrong): Promise<Record<string, number>[]> => {
  const counts: Record<string, number>[] = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const expected = attempt < 5 ? 401 : 429;
    counts.push(await commandsOf(async () => expect((await login(email, secret)).status).toBe(expected)));
  }
  return counts;
};

describe("a sign-in that fails", () => {
  it("sends the database the same commands with and without an account", async () => {
    await login(newEmail(), wrong);
    const unknown = await failuresOf(newEmail());
    expect(unknown[0]).toMatchObject({ insert: 1 });

    expect(await failuresOf(await newAccount())).toEqual(unknown);

    const familiar = await newAccount();
    expect((await login(familiar, password)).status).toBe(200);
    expect(await failuresOf(familiar)).toEqual(unknown);

    const deactivated = await newAccount();
    await mongo
      .db("base")
      .collection("user")
      .updateOne({ email: deactivated }, { $set: { is_active: false } });
    expect(await failuresOf(deactivated, password)).toEqual(unknown);
  });
});

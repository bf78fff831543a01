import { rmSync } from "node:fs";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { ServiceError } from "../../infra/local/sdk/call.ts";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { temporaryDirectory } from "./run.ts";

const SECRET = "sk_live_never_in_plain_text";
const password = "correct horse battery staple";

/** A hook before KMS handles a request. */
let kms: () => Promise<void> | void;
let launched: LaunchedPlatform;
let http: HttpClient;
let mongo: MongoClient;
let token: string;
let organizationId: string;
const dataDir = temporaryDirectory();

const create = (body: unknown, key?: string) =>
  http.post("/v1/object/auth_credential", {
    token,
    body,
    headers: key === undefined ? {} : { "idempotency-key": key },
  });

const credential = (name: string) => ({ name, provider: "mail", value: SECRET });

const stored = () => mongo.db(organizationId).collection<Document>("auth_credential");

beforeAll(async () => {
  kms = () => undefined;
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    // Longer than the tests run, so that no function starts anew while KMS refuses.
    environments: { most: 64, idle: 600_000 },
    beforeCall: (service) => (service === "kms" ? kms() : undefined),
  });
  http = httpClient(launched.access.url);
  mongo = await new MongoClient(launched.access.mongoUri).connect();
  const body = { organization_name: "Organization", email: "owner@example.test", password };
  ({ access_token: token, organization_id: organizationId } = (
    await http.post("/v1/register", { body, expect: 201 })
  ).body);
  // Each function fetches the public keys once; that call must not fail here.
  const path = "/v1/object/auth_credential";
  const { id } = (await create(credential("Warm"))).body;
  await http.post("/v1/object/lead", { token, body: { name: "Warm" }, expect: 201 });
  await http.patch(`${path}/${id}`, { token, body: { name: "Warm" }, expect: 200 });
  await http.patch(path, { token, body: { id, name: "Warm" }, expect: 200 });
  await http.delete(`${path}/${id}`, { token, expect: 200 });
  await http.post("/v1/auth/totp", { token, body: { password }, expect: 200 });
});

beforeEach(async () => {
  kms = () => undefined;
  await stored().deleteMany({});
});

afterAll(async () => {
  await mongo.close();
  await launched.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const down = (): never => {
  throw new ServiceError("DisabledException", "The key is disabled.");
};

const refusedBy = ({ status, body, headers }: Awaited<ReturnType<typeof create>>): unknown[] => [
  status,
  body.code,
  headers.get("retry-after"),
];
const unavailable = [503, "dependency_unavailable", "5"];

describe("while KMS refuses", () => {
  it("a credential is neither created nor changed, and the reply says to retry", async () => {
    const { body } = await create(credential("Before"));
    const before = await stored().findOne({ name: "Before" });
    kms = down;
    const refused = await create(credential("After"));
    expect(refusedBy(refused)).toEqual(unavailable);
    expect(refused.body.detail).toBe("A secret cannot be encrypted right now, so nothing was stored; try again.");
    expect(refused.text).not.toContain(SECRET);
    const path = "/v1/object/auth_credential";
    const changes = { name: "Changed", value: "new" };
    expect(refusedBy(await http.patch(`${path}/${body.id}`, { token, body: changes }))).toEqual(unavailable);
    expect(refusedBy(await http.patch(path, { token, body: [{ id: body.id, ...changes }] }))).toEqual(unavailable);
    expect(await stored().find().toArray()).toEqual([before]);
  });

  it("writes without a secret succeed", async () => {
    const { body } = await create(credential("Before"));
    kms = down;
    const path = `/v1/object/auth_credential/${body.id}`;
    await http.patch(path, { token, body: { name: "Renamed" }, expect: 200 });
    await http.post("/v1/object/lead", { token, body: { name: "Lead" }, expect: 201 });
    await http.delete(path, { token, expect: 200 });
  });

  it("nothing of a batch is written if one of its secrets is not sealed", async () => {
    let calls = 0;
    kms = () => {
      calls += 1;
      // More than the SDK's own retries of one call.
      if (calls > 30) down();
    };
    const batch = Array.from({ length: 60 }, (_, index) => credential(`Batch ${index}`));
    expect(refusedBy(await create(batch))).toEqual(unavailable);
    expect(calls).toBeGreaterThan(30);
    expect(await stored().countDocuments()).toBe(0);
  });

  it("a keyed request may be repeated, and takes effect once KMS works again", async () => {
    kms = down;
    expect(refusedBy(await create(credential("Keyed"), "k"))).toEqual(unavailable);
    kms = () => undefined;
    const done = await create(credential("Keyed"), "k");
    kms = down;
    const again = await create(credential("Keyed"), "k");
    expect([done.status, again.status, again.body]).toEqual([201, 201, done.body]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await stored().countDocuments()).toBe(1);
  });

  it("an authenticator app cannot be set up, and the reply says to retry", async () => {
    kms = down;
    expect(refusedBy(await http.post("/v1/auth/totp", { token, body: { password } }))).toEqual(unavailable);
  });

  it("the log names the cause and no secret", async () => {
    kms = down;
    await create(credential("Logged"));
    const lines = launched.platform.logs(`tenantry-${launched.access.stage}-create-records`);
    const error = lines.findLast((line) => line.includes('"level":"error"')) ?? "{}";
    expect(JSON.parse(error)).toMatchObject({
      code: "dependency_unavailable",
      err: { message: "The key is disabled." },
    });
    expect(lines.join("\n")).not.toContain(SECRET);
  });
});

describe("while KMS does not answer", () => {
  it("writing a credential is given up before the request's time limit", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    kms = () => held;
    expect(refusedBy(await create(credential("Waiting")))).toEqual(unavailable);
    expect(await stored().countDocuments()).toBe(0);
    release();
  });
});

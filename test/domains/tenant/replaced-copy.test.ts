import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import * as z from "zod";
import { defineContract } from "#contracts/contract";
import { readSecret } from "#shared/foundation/aws/secrets";
import { issueAccessToken } from "#shared/foundation/tokens/tokens";
import type { endpoint } from "#shared/lambda/http/endpoint";
import type { Tenant } from "#shared/tenant/tenant";
import { type EmbeddedMongo, startEmbeddedMongo } from "../../../infra/local/mongo/start.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { giveUpCopy, makeSandbox, replaceCopy } from "../../setup/replaced-copy.ts";
import { lockstep, type Turn } from "./lockstep.ts";

const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

vi.mock("../../../shared/foundation/aws/secrets.ts", () => ({ readSecret: vi.fn() }));
vi.mock("../../../shared/foundation/aws/kms.ts", () => ({
  readPublicKey: async () => ({ keyId: "key", der: keys.publicKey.export({ format: "der", type: "spki" }) }),
  signWith: async (_: string, message: Uint8Array) => sign("sha256", message, keys.privateKey),
}));

// For tens of thousands of commands, one after the other.
vi.setConfig({ testTimeout: 900_000 });

const COLLECTIONS = ["one", "two", "three"] as const;

/** A record names the copy that it belongs to: a write repeats what its request has read. */
interface Stored {
  _id: string;
  copy: number;
}

const contract = defineContract({
  operation: "probe",
  area: "records",
  method: "POST",
  path: "/v1/probe",
  access: "user",
  summary: "",
  request: {},
  replies: { 200: { description: "", body: z.array(z.number()) } },
  faults: [],
});

/** What a request does. It answers the copies of all records that it has read. */
type Work = (tenant: Tenant, id: string, turn: Turn) => Promise<number[]>;

const copyIn = async (tenant: Tenant, name: string, _id: string, options = {}): Promise<number> => {
  const found = await tenant.collection<Stored>(name).findOne({ _id }, options);
  if (found === null) throw new Error("The record is in another copy.");
  return found.copy;
};

/** Follows references from one collection to the next. */
const reads: Work = async (tenant, _, turn) => {
  const copies: number[] = [];
  for (const name of COLLECTIONS) {
    await turn(`read ${name}`);
    copies.push(await copyIn(tenant, name, copies.length === 0 ? "root" : `root-${copies.at(-1)}`));
  }
  return copies;
};

const readsBatches: Work = async (tenant, _, turn) => {
  const copies: number[] = [];
  for (const name of COLLECTIONS) {
    await turn(`aggregate ${name}`);
    const rows = await tenant.read<Stored>(name, [{ $match: { _id: "root" } }]).next();
    copies.push(...(rows ?? []).map(({ copy }) => copy));
  }
  return copies;
};

const writes: Work = async (tenant, _id, turn) => {
  await turn("read before write");
  const copy = await copyIn(tenant, "one", "root");
  for (const name of COLLECTIONS) {
    await turn(`write ${name}`);
    await tenant.collection<Stored>(name).insertOne({ _id, copy });
  }
  return [copy];
};

const writesInTransaction: Work = async (tenant, _id, turn) => {
  await turn("transaction");
  return tenant.transaction(async (session) => {
    const copies: number[] = [];
    for (const name of COLLECTIONS) {
      await turn(`read and write ${name}`);
      const copy = await copyIn(tenant, name, "root", { session });
      await tenant.collection<Stored>(name).insertOne({ _id, copy }, { session });
      copies.push(copy);
    }
    return copies;
  });
};

const works = { reads, readsBatches, writes, writesInTransaction };

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One execution environment: modules of its own, with their caches. */
type Environment = (token: string, work: (tenant: Tenant) => Promise<number[]>) => Promise<Answer>;

const newEnvironment = async (): Promise<Environment> => {
  vi.resetModules();
  const secrets = await import("#shared/foundation/aws/secrets");
  vi.mocked(secrets.readSecret).mockResolvedValue(JSON.stringify({ default: database.uri }));
  const http: { endpoint: typeof endpoint } = await import("#shared/lambda/http/endpoint");
  return async (token, work) => {
    const handler = http.endpoint(contract)(async ({ tenant }) => ({
      status: 200 as const,
      body: await work(tenant),
      headers: {},
    }));
    const event = {
      headers: { authorization: `Bearer ${token}` },
      rawPath: "/v1/probe",
      rawQueryString: "",
      requestContext: { requestId: "r", timeEpoch: 0, http: { sourceIp: "203.0.113.7", userAgent: "test" } },
    };
    const context = { getRemainingTimeInMillis: () => 60_000 };
    const answer = await (handler as unknown as Invoke)(event, context);
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  };
};

type Invoke = (event: object, context: object) => Promise<{ statusCode: number; body: string }>;

let directory: string;
let database: EmbeddedMongo;
let mongo: MongoClient;
let environments: Environment[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tenantry-replaced-copy-"));
  database = await startEmbeddedMongo({ dataDir: directory });
  mongo = await new MongoClient(database.uri).connect();
  vi.stubEnv("STAGE", "test");
  vi.stubEnv("ISSUER", "https://api.example.test");
  vi.stubEnv("MONGODB_SECRET_ARN", "arn");
  vi.stubEnv("SIGNING_KEY_ALIASES", "alias/a");
  vi.stubEnv("LOG_LEVEL", "silent");
  vi.mocked(readSecret).mockResolvedValue(JSON.stringify({ default: database.uri }));
  environments = [await newEnvironment(), await newEnvironment()];
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await mongo?.close();
  await database?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The records of a copy. `root-<copy>` can be found only by a request that has read this copy before. */
const rootsOf = (copy: number): Stored[] => ["root", `root-${copy}`].map((_id) => ({ _id, copy }));

/** A sandbox with one user, and their token. */
const newSandbox = async (): Promise<{ id: string; token: string; generation: string }> => {
  const id = `org_${randomBytes(8).toString("hex")}`;
  const db = mongo.db(id);
  const expires_at = new Date(Date.now() + 3_600_000);
  const user = { _id: "u", email: "u@example.test", name: "U", is_active: true, is_account_owner: true };
  const session = { _id: "s", user_id: "u", is_superuser: false, scope: "all", created_date: new Date(), expires_at };
  await Promise.all([
    mongo
      .db("base")
      .collection<{ _id: string }>("organization")
      .insertOne({ _id: id, cluster: "default", is_sandbox: true, status: "active" } as { _id: string }),
    db
      .collection<{ _id: string }>("organization_state")
      .insertOne({ _id: id, status: "active", schema_version: 1, access_version: 1 } as { _id: string }),
    db.collection<{ _id: string }>("user").insertOne(user),
    db.collection<{ _id: string }>("admitted_session").insertOne(session),
    ...COLLECTIONS.map((name) => db.collection<Stored>(name).insertMany(rootsOf(0))),
  ]);
  const generation = await makeSandbox(mongo, id);
  const token = await issueAccessToken({ sub: "u", org: id, email: user.email, sid: "s", scope: "all" });
  return { id, token, generation };
};

const replaceBy = (id: string, copy: number, turn: Turn): Promise<string> =>
  replaceCopy(
    mongo,
    id,
    async (db) => {
      for (const name of COLLECTIONS) {
        await db.collection<Stored>(`__next_${name}`).insertMany(rootsOf(copy));
        await turn(`rename ${name}`);
        await db.collection(`__next_${name}`).rename(name, { dropTarget: true });
      }
    },
    turn,
  );

interface Sent {
  readonly work: keyof typeof works;
  readonly environment: number;
}

const requests = fc.array(
  fc.record({
    work: fc.constantFrom(...(Object.keys(works) as (keyof typeof works)[])),
    environment: fc.constantFrom(0, 1),
  }),
  { minLength: 1, maxLength: 6 },
);

const send = async (token: string, { work, environment }: Sent, id: string, turn: Turn): Promise<Answer> => {
  await turn("request");
  const run = environments[environment] as Environment;
  return run(token, (tenant) => works[work](tenant, id, turn));
};

const idsIn = async (id: string, name: string): Promise<string[]> =>
  (await mongo.db(id).collection<Stored>(name).find({ _id: /^w/ }).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

const refreshes = fc.array(fc.constantFrom("replaced" as const, "given up" as const), { maxLength: 2 });
const picks = fc.array(fc.nat({ max: 5_039 }), { minLength: 100, maxLength: 100 });
const now: Turn = async () => undefined;

it("a reply shows one copy of a sandbox, and no write of one copy reaches the next, in any order", async () => {
  const answered = { ok: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(requests, refreshes, picks, async (sent, refreshed, chosen) => {
      const { id, token, generation } = await newSandbox();
      const last = refreshed.filter((outcome) => outcome === "replaced").length;
      for (const environment of [0, 1]) await send(token, { work: "reads", environment }, "", now);
      const answers: Answer[] = [];
      const switching = async (turn: Turn): Promise<void> => {
        let current = generation;
        for (const [index, outcome] of refreshed.entries()) {
          const copy = refreshed.slice(0, index + 1).filter((one) => one === "replaced").length;
          if (outcome === "given up") await giveUpCopy(mongo, id, current, turn);
          else current = await replaceBy(id, copy, turn);
        }
      };
      const answering = sent.map((request, index) => async (turn: Turn) => {
        answers[index] = await send(token, request, `w${index}`, turn);
      });
      await lockstep([switching, ...answering], chosen);

      for (const { status, body } of answers) {
        answered[status === 200 ? "ok" : "refused"] += 1;
        if (status === 200) expect(new Set(body as number[]).size).toBe(1);
        else expect([status, (body as { code: string }).code]).toEqual([503, "sandbox_refreshing"]);
        if (refreshed.length === 0) expect(status).toBe(200);
      }
      // What is stored in the end was written by requests that had read the last copy. Acknowledged ones are there.
      const acknowledged = answers.flatMap(({ status, body }, index) =>
        status === 200 && sent[index]?.work.startsWith("writes") && (body as number[])[0] === last ? `w${index}` : [],
      );
      for (const name of COLLECTIONS) {
        const foreign = await mongo
          .db(id)
          .collection<Stored>(name)
          .countDocuments({ copy: { $ne: last } });
        expect(foreign).toBe(0);
        expect(await idsIn(id, name)).toEqual(expect.arrayContaining(acknowledged));
      }
      for (const environment of [0, 1]) {
        const after = await send(token, { work: "writesInTransaction", environment }, `after-${environment}`, now);
        expect(after).toEqual({ status: 200, body: [last, last, last] });
      }
      await mongo.db(id).dropDatabase();
    }),
    propertyRuns(1_600),
  );
  // The property would say nothing if all requests were refused, or none.
  expect(Math.min(answered.ok, answered.refused)).toBeGreaterThan(20);
});

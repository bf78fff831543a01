import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { type Db, type Document, MongoClient } from "mongodb";
import * as z from "zod";
import { copyOrganizations } from "../setup/copy-organization.ts";
import { httpClient } from "../setup/http-client.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { line } from "./print.ts";

const TENANTS = 1_000;
const IDLE_RUNS = 20;
/** Milliseconds for one organization, four at the same time. */
const TARGET_EACH = 100;
const TARGET_IDLE = 50;

type Stored = Document & { _id: string };

const report = z.object({ done: z.number(), failed: z.number(), remaining: z.number() });

/** As an earlier release has left it: an object and a field are missing, and the indexes of the records. */
const makeOlder = async (database: Db): Promise<void> => {
  await database.collection("schemas").deleteOne({ api_name: "audit_entry" });
  await database.collection("schemas").updateOne({ api_name: "lead" }, { $unset: { "properties.company": "" } });
  await database.collection("organization_state").updateOne({}, { $set: { "indexed.lead": "of an earlier release" } });
};

const prepare = async ({ url, mongoUri }: LaunchedPlatform["access"]): Promise<void> => {
  const http = httpClient(url);
  const { body } = await http.post("/v1/register", {
    body: { organization_name: "Bench", email: "bench@example.test", password: "correct horse battery staple" },
    expect: 201,
  });
  const leads = Array.from({ length: 20 }, (_, index) => ({ name: `Lead ${index}`, status: "New" }));
  await http.post("/v1/object/lead", { token: body.access_token, body: leads, expect: 201 });
  const mongo = await new MongoClient(mongoUri).connect();
  const copies = await copyOrganizations(mongo, body.organization_id, TENANTS);
  for (let start = 0; start < copies.length; start += 50) {
    await Promise.all(copies.slice(start, start + 50).map((id) => makeOlder(mongo.db(id))));
  }
  const registry = mongo.db("base").collection<Stored>("organization");
  await registry.updateMany({ _id: { $in: copies } }, { $unset: { migrated: "" } });
  await mongo.close();
};

/** The migration of a thousand organizations, and runs without anything to do. */
export const benchMigrations = async (access: LaunchedPlatform["access"]): Promise<void> => {
  await prepare(access);
  const { awsEndpoint: endpoint, region, credentials, stage } = access;
  const lambda = new LambdaClient({ endpoint, region, credentials });
  const migrate = async (input: object): Promise<{ milliseconds: number; report: z.output<typeof report> }> => {
    const start = performance.now();
    const FunctionName = `tenantry-${stage}-migrate`;
    const answer = await lambda.send(new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(input)) }));
    const milliseconds = performance.now() - start;
    return { milliseconds, report: report.parse(JSON.parse(Buffer.from(answer.Payload ?? []).toString("utf8"))) };
  };
  const dry = await migrate({ dry_run: true });
  if (dry.report.remaining !== TENANTS) throw new Error(`${dry.report.remaining} organizations are to be migrated`);
  line(`dry run over ${TENANTS} organizations`, `${(dry.milliseconds / TENANTS).toFixed(1)} ms each`);
  const all = await migrate({ per_second: 0 });
  if (all.report.done !== TENANTS || all.report.failed > 0) throw new Error(JSON.stringify(all.report));
  const each = all.milliseconds / TENANTS;
  const verdict = (met: boolean): string => (met ? "met" : "missed");
  line(
    `migration of ${TENANTS} organizations`,
    `${each.toFixed(1)} ms each`,
    `target ≤ ${TARGET_EACH} ms ${verdict(each <= TARGET_EACH)}`,
  );
  line("", `${(all.milliseconds / 1000).toFixed(1)} s`);
  const idle: number[] = [];
  for (let run = 0; run < IDLE_RUNS; run += 1) idle.push((await migrate({})).milliseconds);
  const median = idle.toSorted((a, b) => a - b)[IDLE_RUNS / 2] ?? 0;
  line(
    "a run with nothing to do",
    `${median.toFixed(1)} ms`,
    `target ≤ ${TARGET_IDLE} ms ${verdict(median <= TARGET_IDLE)}`,
  );
};

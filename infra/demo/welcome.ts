import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Launched, Platform } from "../start.ts";
import { demoClient } from "./client.ts";
import { DEMO_PASSWORD, demoUsers } from "./data.ts";
import { mailboxOf } from "./mailbox.ts";
import { operatorOf } from "./operator.ts";
import { seedDemo } from "./seed.ts";

const failure = z.object({ organization_id: z.string(), migration: z.string(), reason: z.string() });
const migrationReport = z.object({ failures: z.array(failure) });

/** Fills a new platform with the demo organization, once per data directory. */
export const ensureDemo = async (platform: Platform): Promise<void> => {
  const done = join(platform.dataDir, "demo-data-written");
  if (existsSync(done)) return;
  // The mails of its users are sent meanwhile. Nobody has used the platform yet.
  platform.beginWork();
  await seedDemo(demoClient(platform.url, platform.key), operatorOf(platform), mailboxOf(platform));
  writeFileSync(done, "");
};

/**
 * Brings data of an earlier release to this one. Data that this code has migrated already need not be waited for: only
 * the indexes that a stopped platform did not build are built in the background.
 */
const ensureMigrated = async (platform: Launched): Promise<void> => {
  const migrated = join(platform.dataDir, "migrated-by");
  const run = operatorOf(platform)("migrate", { per_second: 0, at_once: 8 });
  // Another MongoDB may hold other data than at the last start.
  const isOwn = process.env.MONGODB_URI === undefined;
  if (isOwn && existsSync(migrated) && readFileSync(migrated, "utf8") === platform.migrationsHash) {
    // It may be stopped with the platform, and is repeated at the next start.
    run.catch(() => undefined);
    return;
  }
  const { failures } = migrationReport.parse(await run);
  for (const { organization_id, migration, reason } of failures)
    process.stderr.write(`The data of ${organization_id} could not be migrated (${migration}): ${reason}\n`);
  if (failures.length === 0) writeFileSync(migrated, platform.migrationsHash);
};

/** The start message: who can sign in, and commands to try. */
export const welcome = async (platform: Launched): Promise<readonly string[]> => {
  await Promise.all([ensureMigrated(platform), ensureDemo(platform)]);
  const { url } = platform;
  const widest = Math.max(...Object.values(demoUsers).map(({ email }) => email.length));
  const users = Object.values(demoUsers).map(({ email, note }) => `  ${email.padEnd(widest)}  ${note}`);
  const bearer = `-H "Authorization: Bearer $TOKEN"`;
  return [
    "",
    `Demo users, password ${DEMO_PASSWORD}:`,
    ...users,
    "",
    "Try:",
    `  TOKEN=$(curl -s ${url}/v1/oauth2/login -d username=${demoUsers.owner.email} -d password=${DEMO_PASSWORD} | python3 -c 'import json,sys; print(json.load(sys.stdin)["access_token"])')`,
    `  curl -s ${bearer} ${url}/v1/auth/load`,
    `  curl -s ${bearer} -G ${url}/v1/query --data-urlencode "q=SELECT name, status, amount FROM lead WHERE status = 'New' ORDER BY amount DESC LIMIT 5"`,
    `  curl -s ${bearer} ${url}/v1/object/lead -H 'Content-Type: application/json' -d '{"name": "Grace Hopper", "status": "New", "amount": 1906}'`,
    `  curl -s ${bearer} ${url}/v1/schema/lead`,
    "",
    `The API reference: ${url}/docs`,
    `The command line: npx tenantry login --url ${url}`,
    "Ctrl-C stops; nothing is lost.",
    "",
  ];
};

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../start.ts";
import { demoClient } from "./client.ts";
import { DEMO_PASSWORD, demoUsers } from "./data.ts";
import { mailboxOf } from "./mailbox.ts";
import { operatorOf } from "./operator.ts";
import { seedDemo } from "./seed.ts";

/** Fills a new platform with the demo organization, once per data directory. */
export const ensureDemo = async (platform: Platform): Promise<void> => {
  const done = join(platform.dataDir, "demo-data-written");
  if (existsSync(done)) return;
  await seedDemo(demoClient(platform.url, platform.key), operatorOf(platform), mailboxOf(platform));
  writeFileSync(done, "");
};

/** The start message: who can sign in, and commands to try. */
export const welcome = async (platform: Platform): Promise<readonly string[]> => {
  await ensureDemo(platform);
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

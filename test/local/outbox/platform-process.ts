/**
 * The platform with the queue `echo` in a process of its own, which a test kills. It commits messages of a new
 * organization.
 */
import { writeSync } from "node:fs";
import { httpClient } from "../../setup/http-client.ts";
import { launchEcho } from "./launch.ts";

const [dataDir = "", count = ""] = process.argv.slice(2);
const platform = await launchEcho({ dataDir });
const { body } = await httpClient(platform.access.url).post("/v1/register", {
  body: { organization_name: "Killed", email: "killed@example.test", password: "correct horse battery staple" },
  expect: 201,
});
const organization: string = body.organization_id;
const payloads = Array.from({ length: Number(count) }, (_, index) => ({ key: String(index), ms: 400, begins: true }));
await platform.commit(organization, payloads);
writeSync(1, `organization ${organization}\n`);
for (;;) {
  const runs = await platform.database.db(organization).collection("echo_run").countDocuments();
  writeSync(1, `runs ${runs}\n`);
}

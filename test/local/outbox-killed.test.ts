import { expect, inject, test } from "vitest";
import { httpClient } from "../setup/http-client.ts";
import { launchEcho, startEchoProcess } from "./outbox/launch.ts";
import { temporaryDirectory } from "./run.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 50 };
const MESSAGES = 40;

/** Commits messages of a new organization, and kills the platform when so many were begun. Gives the organization. */
const killAfter = async (dataDir: string, begun: number): Promise<string> => {
  const platform = await startEchoProcess({ dataDir, bundles: inject("platform").bundles });
  const registration = {
    organization_name: "Killed",
    email: "killed@example.test",
    password: "correct horse battery staple",
  };
  const { body } = await httpClient(platform.access.url).post("/v1/register", { body: registration, expect: 201 });
  const organization: string = body.organization_id;
  const payloads = Array.from({ length: MESSAGES }, (_, index) => ({ key: String(index), ms: 400, begins: true }));
  await platform.commit(organization, payloads);
  const runs = platform.database.db(organization).collection("echo_run");
  await expect.poll(() => runs.countDocuments(), patiently).toBeGreaterThanOrEqual(begun);
  await platform.kill();
  await platform.database.close();
  return organization;
};

test("a SIGKILL of the platform loses no committed message: each is handled once, or recorded as interrupted", async () => {
  const dataDir = temporaryDirectory();
  const organization = await killAfter(dataDir, 10);
  const platform = await launchEcho({ dataDir, bundles: inject("platform").bundles });
  try {
    const db = platform.database.db(organization);
    const entries = () => db.collection("_outbox").find().toArray();
    const unfinished = async (): Promise<number> => {
      await platform.invoke("sweep-echo", {});
      return (await entries()).filter(({ status }) => status !== "failed").length;
    };
    await expect.poll(unfinished, patiently).toBe(0);
    const runs = await db.collection("echo_run").find().toArray();
    const begun = runs.map(({ key }) => String(key));
    expect(new Set(begun).size).toBe(begun.length);
    // At most those that the eight functions had when they were killed.
    const failed = await entries();
    expect(failed.length).toBeLessThanOrEqual(8);
    expect(failed.map(({ failure }) => failure.code)).toEqual(failed.map(() => "interrupted"));
    const accounted = new Set([...begun, ...failed.map(({ payload }) => JSON.parse(payload).key)]);
    expect(accounted.size).toBe(MESSAGES);
    // Messages that were in flight come back after the visibility timeout.
    await expect.poll(() => platform.counts(), patiently).toEqual([0, 0, 0]);
    expect(await platform.counts("echo-dead-letters")).toEqual([0, 0, 0]);
  } finally {
    await platform.database.close();
    await platform.stop();
  }
});

import { randomUUID } from "node:crypto";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EchoPlatform, launchEcho } from "./outbox/launch.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 20 };

let platform: EchoPlatform;
let refusesSqs = false;

beforeAll(async () => {
  const beforeCall = (service: string) => {
    if (refusesSqs && service === "sqs") throw new Error("SQS is down.");
  };
  platform = await launchEcho({ beforeCall, pausesJobs: true });
});
afterAll(async () => {
  await platform.database.close();
  await platform.stop();
});

const register = async (): Promise<string> => {
  const email = `${randomUUID()}@example.test`;
  const body = {
    organization_name: "Echo",
    email,
    password: "correct horse battery staple",
    first_name: "O",
    last_name: "O",
  };
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${platform.access.url}/v1/register`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return ((await reply.json()) as { organization_id: string }).organization_id;
};

const collection = (organization: string, name: string) =>
  platform.database.db(organization).collection<Document & { _id: string }>(name);
const outbox = (organization: string) => collection(organization, "_outbox").find().toArray();
/** The attempts of each run, in the order of their beginning. */
const runs = async (organization: string, key?: string): Promise<number[]> => {
  const all = await collection(organization, "echo_run")
    .find(key === undefined ? {} : { key })
    .sort({ at: 1 })
    .toArray();
  return all.map(({ attempt }) => attempt);
};
const become = async <T>(read: () => Promise<T>, expected: T): Promise<void> => {
  await expect.poll(read, patiently).toEqual(expected);
};
const isQuiet = (): Promise<void> => become(() => platform.counts(), [0, 0, 0]);
const idOf = async (organization: string, key: string, rest: object = {}): Promise<string> => {
  const [id = ""] = await platform.commit(organization, [{ key, ...rest }]);
  return id;
};

const isRunning = async (organization: string): Promise<void> => {
  await become(async () => (await outbox(organization))[0]?.status, "running");
  await become(() => runs(organization), [1]);
};

/** How often the only entry was postponed. */
const postponed = async (organization: string): Promise<number> => (await outbox(organization))[0]?.postponed ?? 0;
const isPostponed = (organization: string, least: number): Promise<void> =>
  expect.poll(() => postponed(organization), patiently).toBeGreaterThanOrEqual(least);

/** As if the time of the consumer had passed. */
const expireLease = async (organization: string, id: string): Promise<void> => {
  await isRunning(organization);
  const filter = { _id: id, status: "running" };
  await collection(organization, "_outbox").updateOne(filter, { $set: { "lease.until": new Date(0) } });
};

/** As if the time of the consumer had passed, and the message is never delivered again. */
const loseMessage = async (organization: string, id: string): Promise<void> => {
  await isRunning(organization);
  await platform.purge();
  await expireLease(organization, id);
};

describe("a committed message", () => {
  test("is handled once, and its entry is gone", async () => {
    const organization = await register();
    await platform.commit(organization, [{ key: "a" }, { key: "b" }]);
    await become(async () => (await runs(organization)).length, 2);
    await become(() => outbox(organization), []);
    await isQuiet();
    expect(await runs(organization)).toEqual([1, 1]);
  });

  test("is not sent if the transaction is rolled back", async () => {
    const organization = await register();
    await expect(platform.commit(organization, [{ key: "a" }], { rollBack: true })).rejects.toThrow("rolled back");
    expect(await outbox(organization)).toEqual([]);
    await isQuiet();
    expect(await runs(organization)).toEqual([]);
  });

  test("that is delivered ten times, early and late, is handled once", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { ms: 300 });
    const delays = [0, 0, 0, 0, 0, 0, 0, 1, 2];
    await Promise.all(delays.map((DelaySeconds) => platform.deliver(organization, id, { DelaySeconds })));
    await become(() => outbox(organization), []);
    // Deliveries that met the running one come back after the visibility timeout.
    await expect.poll(async () => (await platform.counts()).slice(0, 2), patiently).toEqual([0, 0]);
    expect(await runs(organization)).toEqual([1]);
    await become(() => platform.counts(), [0, 0, 0]);
    expect(await runs(organization)).toEqual([1]);
  });

  test("of an organization or an entry that does not exist is acknowledged", async () => {
    const organization = await register();
    await platform.deliver(organization, randomUUID());
    await platform.deliver("org_0000000000000000", randomUUID());
    await isQuiet();
    expect(await platform.counts("echo-dead-letters")).toEqual([0, 0, 0]);
  });
});

describe("a message whose work fails", () => {
  test("by a fault with retry is handled again", async () => {
    const organization = await register();
    await idOf(organization, "a", { fail: "database_unavailable", times: 1 });
    // It is handled again after ten seconds.
    await become(async () => (await outbox(organization))[0]?.failure?.code, "database_unavailable");
    await become(() => runs(organization), [1, 2]);
    await become(() => outbox(organization), []);
  });

  test("by a fault without retry is recorded and acknowledged", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "forbidden" });
    await become(async () => (await outbox(organization))[0]?.status, "failed");
    await isQuiet();
    const [entry] = await outbox(organization);
    expect(entry).toMatchObject({ _id: id, failure: { code: "forbidden" }, expires_at: expect.any(Date) });
    await platform.deliver(organization, id);
    await isQuiet();
    expect(await runs(organization)).toEqual([1]);
  });

  test("because its time has not come is sent again later, and no attempt is counted", async () => {
    const organization = await register();
    await idOf(organization, "a", { fail: "too_many_functions", times: 0 });
    await become(() => outbox(organization), []);
    const id = await idOf(organization, "b", { fail: "too_many_functions" });
    await isPostponed(organization, 1);
    // The message that was delivered is deleted after that.
    const state = async () => ({ entries: await outbox(organization), counts: await platform.counts() });
    await expect
      .poll(state, patiently)
      .toMatchObject({ entries: [{ _id: id, status: "sent", attempts: 0 }], counts: [0, 1, 0] });
    await isPostponed(organization, 2);
    expect(new Set(await runs(organization, "b"))).toEqual(new Set([1]));
    await collection(organization, "_outbox").deleteMany({});
  });
});

describe("a message that has begun what must not happen twice", () => {
  test.each(["database_unavailable", "error"])("is not handled again after the failure %s", async (fail) => {
    const organization = await register();
    await idOf(organization, "a", { fail, begins: true });
    await become(async () => (await outbox(organization))[0]?.status, "failed");
    await isQuiet();
    // The first attempt may have reached its time limit before it had begun.
    expect(await runs(organization)).toHaveLength(1);
    expect(await platform.counts("echo-dead-letters")).toEqual([0, 0, 0]);
  });

  test("is handled again if its time had not come", async () => {
    const organization = await register();
    await idOf(organization, "a", { fail: "too_many_functions", begins: true });
    await isPostponed(organization, 2);
    expect(new Set(await runs(organization))).toEqual(new Set([1]));
    await collection(organization, "_outbox").deleteMany({});
  });
});

describe("a message whose consumer dies in the middle", () => {
  const interruption = { status: "failed", failure: { code: "interrupted" } };
  test("is recorded as interrupted at its next delivery, and not handled again", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "exit", begins: true });
    await expireLease(organization, id);
    await platform.deliver(organization, id);
    await become(async () => (await outbox(organization))[0]?.status, "failed");
    expect(await outbox(organization)).toMatchObject([interruption]);
    expect(await runs(organization)).toEqual([1]);
  });

  test("is recorded as interrupted by the job, if it is not delivered again", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "exit", begins: true });
    await loseMessage(organization, id);
    expect(await platform.invoke("sweep-echo", {})).toMatchObject({ interrupted: 1, failed: 0 });
    expect(await outbox(organization)).toMatchObject([interruption]);
    expect(await runs(organization)).toEqual([1]);
  });
});

describe("a message whose consumer dies before it has begun what must not happen twice", () => {
  test("is handled again at its next delivery", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "exit", times: 1 });
    await expireLease(organization, id);
    await platform.deliver(organization, id);
    await become(() => outbox(organization), []);
    expect(await runs(organization)).toEqual([1, 2]);
  });

  test("is sent again by the job", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "exit", times: 1 });
    await loseMessage(organization, id);
    expect(await platform.invoke("sweep-echo", {})).toMatchObject({ interrupted: 0, failed: 0 });
    await become(() => outbox(organization), []);
    expect(await runs(organization)).toEqual([1, 2]);
  });

  test("is recorded as interrupted after five times", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "exit" });
    await loseMessage(organization, id);
    await collection(organization, "_outbox").updateOne({ _id: id }, { $set: { attempts: 5 } });
    expect(await platform.invoke("sweep-echo", {})).toMatchObject({ interrupted: 1 });
    expect(await outbox(organization)).toMatchObject([{ status: "failed", failure: { code: "interrupted" } }]);
  });
});

describe("a message that was committed while SQS was down", () => {
  test("is sent by the job, and handled once", async () => {
    const organization = await register();
    refusesSqs = true;
    const id = await idOf(organization, "a").finally(() => {
      refusesSqs = false;
    });
    expect(await outbox(organization)).toMatchObject([{ _id: id, status: "pending" }]);
    // Its own sender could still be at it.
    expect(await platform.invoke("sweep-echo", {})).toMatchObject({ sent: 0, failed: 0 });
    await collection(organization, "_outbox").updateOne(
      { _id: id },
      { $set: { created: new Date(Date.now() - 60_000) } },
    );
    const [one, other] = await Promise.all([
      platform.invoke<{ sent: number }>("sweep-echo", {}),
      platform.invoke<{ sent: number }>("sweep-echo", {}),
    ]);
    expect(one.sent + other.sent).toBeGreaterThan(0);
    await become(() => outbox(organization), []);
    expect(await runs(organization)).toEqual([1]);
  });
});

describe("a message of a sandbox", () => {
  const setStatus = async (organization: string, status: string): Promise<void> => {
    await collection(organization, "organization_state").updateOne({ _id: organization }, { $set: { status } });
  };

  test("waits while the gate is up, and is handled once after that", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "too_many_functions" });
    await isPostponed(organization, 1);
    await setStatus(organization, "refreshing");
    await platform.deliver(organization, id);
    await become(async () => (await platform.counts())[1], 2);
    await collection(organization, "echo_run").deleteMany({});
    await collection(organization, "_outbox").updateOne({ _id: id }, { $set: { payload: '{"key":"a"}' } });
    await setStatus(organization, "active");
    await become(() => outbox(organization), []);
    expect(await runs(organization)).toEqual([1]);
  });

  test("is acknowledged if it belongs to a copy that was replaced", async () => {
    const organization = await register();
    const id = await idOf(organization, "a", { fail: "too_many_functions" });
    await isPostponed(organization, 1);
    await collection(organization, "_outbox").drop();
    await platform.deliver(organization, id);
    await isQuiet();
    expect(await platform.counts("echo-dead-letters")).toEqual([0, 0, 0]);
  });
});

describe("the mark of an organization with work in the background", () => {
  const all = () => platform.database.db("base").collection<Document & { _id: string }>("background_work");

  test("is there before the commit, and goes when nothing is left", async () => {
    const organization = await register();
    await platform.commit(organization, [{ key: "a" }]);
    expect(await all().findOne({ _id: organization })).toMatchObject({ outbox: expect.any(Date) });
    await become(() => outbox(organization), []);
    await platform.invoke("sweep-echo", {});
    expect(await all().findOne({ _id: organization })).not.toBeNull();
    await all().updateOne({ _id: organization }, { $set: { outbox: new Date(Date.now() - 121_000) } });
    await platform.invoke("sweep-echo", {});
    expect(await all().findOne({ _id: organization })).toBeNull();
  });
});

import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addUser,
  databaseClient,
  type HttpReply,
  http,
  invokeOperation,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { dumpOfProduction, faultsOf } from "../../setup/sandbox-checks.ts";
import { type Call, sandboxRuns } from "../../setup/sandbox-runs.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

const steps = sandboxSteps(http);

let mongo: MongoClient;
let runs: ReturnType<typeof sandboxRuns>;

beforeAll(async () => {
  mongo = await databaseClient();
  runs = sandboxRuns(mongo, invokeOperation);
});
afterAll(() => mongo.close());

const create = ({ token }: User, name: string) => http.post("/v1/sandbox", { token, body: { name } });
const refresh = ({ token }: User, name: string) => http.post(`/v1/sandbox/${name}/refresh`, { token, body: {} });
const remove = ({ token }: User, name: string) => http.delete(`/v1/sandbox/${name}`, { token });
const add = ({ token }: User, name: string, ids: readonly string[]) =>
  http.post(`/v1/sandbox/${name}/users`, { token, body: { users: ids } });
const take = ({ token }: User, name: string, id: string) => http.delete(`/v1/sandbox/${name}/users/${id}`, { token });
const describeIt = ({ token }: User, name: string, description: string) =>
  http.patch(`/v1/sandbox/${name}`, { token, body: { description } });

const count = (replies: readonly HttpReply[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const key = status < 400 ? String(status) : `${status} ${body.code}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

const sandboxesOf = async ({ token }: User): Promise<{ sandbox_name: string; status: string }[]> =>
  (await http.get("/v1/sandbox", { token, expect: 200 })).body;

/** When nothing runs on a sandbox of the organization. */
const allSettled = async (owner: User): Promise<void> => {
  for (;;) {
    const running = (await sandboxesOf(owner)).filter(({ status }) => status !== "active" && status !== "failed");
    if (running.length === 0) return;
    await setTimeout(100);
  }
};

const expectRight = async (owner: User): Promise<void> => {
  await allSettled(owner);
  await runs.sweep();
  expect(await faultsOf(mongo, owner.organizationId)).toEqual([]);
};

const ten = Array.from({ length: 10 }, (_, index) => index);

describe("ten requests for a sandbox at once", () => {
  test("with one name create one", async () => {
    const owner = await registerOrganization();
    const replies = await Promise.all(ten.map(() => create(owner, "same")));
    const { "409 sandbox_exists": refused, ...rest } = count(replies);
    expect([refused, Object.values(rest)]).toEqual([9, [1]]);
    await expectRight(owner);
    expect(await sandboxesOf(owner)).toMatchObject([{ sandbox_name: "same", status: "active" }]);
  });

  test("with names whose first twelve characters are equal create one", async () => {
    const owner = await registerOrganization();
    const replies = await Promise.all(ten.map((index) => create(owner, `twelve_chars${index}`)));
    expect(count(replies)["409 sandbox_exists"]).toBe(9);
    await expectRight(owner);
    expect((await sandboxesOf(owner)).map(({ status }) => status)).toEqual(["active"]);
  });

  test("with different names create all of them, and never more than twenty", async () => {
    const owner = await registerOrganization();
    const before = await dumpOfProduction(mongo, owner.organizationId);
    const replies = await Promise.all(ten.map((index) => create(owner, `box${index}`)));
    expect(replies.map(({ status }) => status).filter((status) => status !== 201 && status !== 202)).toEqual([]);
    await allSettled(owner);
    const registry = mongo.db("base").collection<{ _id: string; sandboxes?: number }>("organization");
    await registry.updateOne({ _id: owner.organizationId }, { $inc: { sandboxes: 6 } });
    const more = await Promise.all(ten.map((index) => create(owner, `more${index}`)));
    const { "409 too_many_sandboxes": refused, ...rest } = count(more);
    expect([refused, Object.values(rest).reduce((sum, one) => sum + one, 0)]).toEqual([6, 4]);
    await registry.updateOne({ _id: owner.organizationId }, { $inc: { sandboxes: -6 } });
    await expectRight(owner);
    expect((await sandboxesOf(owner)).map(({ status }) => status)).toEqual(Array(14).fill("active"));
    expect(await dumpOfProduction(mongo, owner.organizationId)).toEqual(before);
  });
});

describe("operations on one sandbox at once:", () => {
  test("refreshes are one while it runs, and all are answered with its result", async () => {
    const owner = await registerOrganization();
    const { id } = await steps.create(owner.token, "box");
    // Starts the execution environments, so that all requests come in time.
    const preview = { token: owner.token, body: {}, query: { dry_run: true }, expect: 200 };
    await Promise.all([1, 2, 3, 4, 5].map(() => http.post("/v1/sandbox/box/refresh", preview)));
    const run = await runs.begin(id, () => refresh(owner, "box"));
    let joined: Promise<HttpReply>[] = [];
    await runs.drive(run, "refresh", undefined, async <T>(one: Call): Promise<T> => {
      // Late, because a request waits for 15 seconds at most.
      if (one.step === "switch-over") {
        joined = [1, 2, 3, 4].map(() => refresh(owner, "box"));
        await setTimeout(3000);
      }
      return runs.call<T>(one);
    });
    const shown = (await http.get("/v1/sandbox/box", { token: owner.token, expect: 200 })).body;
    for (const { status, body } of await Promise.all(joined)) expect([status, body]).toEqual([200, shown]);
    await expectRight(owner);
  });

  test.each([0, 150, 400, 800])("a deletion wins over a refresh that began %i ms before", async (delay) => {
    const owner = await registerOrganization();
    const member = await addUser(owner.organizationId);
    await steps.create(owner.token, "box");
    await add(owner, "box", [member.id]);
    const refreshing = refresh(owner, "box");
    await setTimeout(delay);
    const removed = await remove(owner, "box");
    const refreshed = await refreshing;
    expect(removed.status).toBe(200);
    if (refreshed.status >= 400) expect(refreshed.body.code).toMatch(/^sandbox_(busy|not_found)$/);
    await expectRight(owner);
    expect(await sandboxesOf(owner)).toEqual([]);
    expect((await steps.create(owner.token, "box")).status).toBe("active");
    await expectRight(owner);
  });

  test.each([0, 300, 900])("a deletion wins over a creation that began %i ms before", async (delay) => {
    const owner = await registerOrganization();
    const creating = create(owner, "box");
    while ((await http.get("/v1/sandbox/box", { token: owner.token })).status === 404) await setTimeout(5);
    await setTimeout(delay);
    expect((await remove(owner, "box")).status).toBe(200);
    const created = await creating;
    if (created.status >= 400) expect(created.body.code).toBe("sandbox_busy");
    await expectRight(owner);
    expect(await sandboxesOf(owner)).toEqual([]);
  });

  test("a refresh during a deletion is refused, and two deletions are one", async () => {
    const owner = await registerOrganization();
    await steps.create(owner.token, "box");
    const removing = [remove(owner, "box"), remove(owner, "box")];
    const state = async () => {
      const { status, body } = await http.get("/v1/sandbox/box", { token: owner.token });
      return status === 404 ? "deleted" : body.status;
    };
    await expect.poll(state, { interval: 5 }).toMatch(/^delet(ing|ed)$/);
    const refreshed = await refresh(owner, "box");
    expect(["sandbox_busy", "sandbox_not_found"]).toContain(refreshed.body.code);
    for (const { status, body } of await Promise.all(removing)) {
      expect([status, body.code ?? "sandbox_not_found"]).toEqual([status === 200 ? 200 : 404, "sandbox_not_found"]);
    }
    await expectRight(owner);
    expect(await sandboxesOf(owner)).toEqual([]);
  });
});

describe("a user who is let in while a refresh begins is in both lists or in none", () => {
  test.each([
    ["is completed", "finish"],
    ["is undone", "register"],
  ])("after the refresh %s", async (_, last) => {
    const owner = await registerOrganization();
    const member = await addUser(owner.organizationId);
    const { id } = await steps.create(owner.token, "box");
    // As the first task of a refresh does, between the record of the user and the lists.
    const links = mongo.db(owner.organizationId).collection<{ _id: string; run?: string }>("sandbox_link");
    await links.updateOne({ _id: id }, { $set: { run: "a refresh" } });
    expect((await add(owner, "box", [member.id])).body.code).toBe("sandbox_busy");
    expect(await mongo.db(id).collection<{ _id: string }>("user").countDocuments({ _id: member.id })).toBe(1);
    const run = await runs.begin(id, () => refresh(owner, "box"));
    await runs.drive(run, "refresh", last);
    await runs.reconcile(id);
    await expectRight(owner);
    expect((await add(owner, "box", [member.id])).status).toBe(200);
    await expectRight(owner);
  });
});

/** What a request may be answered with while others run. */
const defined = new Set([
  "200",
  "201",
  "202",
  "204",
  "404 sandbox_not_found",
  "404 record_not_found",
  "409 sandbox_exists",
  "409 sandbox_busy",
  "503 sandbox_refreshing",
]);

test("any operations on a sandbox at once leave it, its users and their lists right, with clear answers", async () => {
  const owner = await registerOrganization();
  const people = [await addUser(owner.organizationId), await addUser(owner.organizationId)];
  const production = await dumpOfProduction(mongo, owner.organizationId);
  const person = fc.nat({ max: 1 }).map((index) => (people[index] as User).id);
  const operation = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ name: "refresh", send: () => refresh(owner, "box") }) },
    { weight: 1, arbitrary: fc.constant({ name: "delete", send: () => remove(owner, "box") }) },
    { weight: 2, arbitrary: fc.constant({ name: "create", send: () => create(owner, "box") }) },
    { weight: 3, arbitrary: person.map((id) => ({ name: `add ${id}`, send: () => add(owner, "box", [id]) })) },
    { weight: 3, arbitrary: person.map((id) => ({ name: `remove ${id}`, send: () => take(owner, "box", id) })) },
    { weight: 1, arbitrary: fc.constant({ name: "describe", send: () => describeIt(owner, "box", "New") }) },
  );
  const schedule = fc.array(fc.record({ operation, delay: fc.nat({ max: 400 }) }), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(schedule, async (planned) => {
      if ((await sandboxesOf(owner)).length === 0) await steps.create(owner.token, "box");
      const replies = await Promise.all(
        planned.map(async ({ operation: { send }, delay }) => {
          await setTimeout(delay);
          return send();
        }),
      );
      expect(Object.keys(count(replies)).filter((answer) => !defined.has(answer))).toEqual([]);
      await expectRight(owner);
      expect(await dumpOfProduction(mongo, owner.organizationId)).toEqual(production);
    }),
    {
      ...(process.env.FUZZ_SEED === undefined
        ? { numRuns: 10 }
        : { numRuns: 150, seed: Number(process.env.FUZZ_SEED) }),
    },
  );
});

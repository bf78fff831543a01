import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addUser, databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { dumpOfProduction, faultsOf } from "../../setup/sandbox-checks.ts";
import { type Call, COPY_STEPS, DELETE_STEPS, sandboxRuns } from "../../setup/sandbox-runs.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

const steps = sandboxSteps(http);

let mongo: MongoClient;
let runs: ReturnType<typeof sandboxRuns>;

beforeAll(async () => {
  mongo = await databaseClient();
  runs = sandboxRuns(mongo, invokeOperation);
});
afterAll(() => mongo.close());

interface Place {
  readonly owner: User;
  readonly id: string;
  readonly extra: readonly User[];
  readonly production: Record<string, string[]>;
}

/** An organization with an administrator and two members besides its owner, and with records. */
const newPlace = async (name: string): Promise<Place> => {
  const owner = await registerOrganization();
  const extra = [await addUser(owner.organizationId), await addUser(owner.organizationId)];
  await addUser(owner.organizationId, { isAccountAdmin: true });
  const post = (path: string, body: object) => http.post(path, { token: owner.token, body, expect: 201 });
  await post("/v1/object/lead", { name: "Of production" });
  await post("/v1/object/app", { name: "Shop", api_name: "shop" });
  await post("/v1/schema", { name: "Machine", fields: [{ name: "Size", type: "number" }] });
  const production = await dumpOfProduction(mongo, owner.organizationId);
  return { owner, id: `${owner.organizationId}_s_${name}`, extra, production };
};

const create = ({ owner: { token } }: Place) => http.post("/v1/sandbox", { token, body: { name: "box" } });
const refresh = ({ owner: { token } }: Place) => http.post("/v1/sandbox/box/refresh", { token, body: {} });
const remove = ({ owner: { token } }: Place) => http.delete("/v1/sandbox/box", { token });
const show = async ({ owner: { token } }: Place) => (await http.get("/v1/sandbox/box", { token })).body;

/** Makes the sandbox differ from what a refresh makes of it, with both members in it. */
const mark = async ({ owner, id, extra }: Place): Promise<void> => {
  const users = extra.map((user) => user.id);
  await http.post("/v1/sandbox/box/users", { token: owner.token, body: { users }, expect: 200 });
  const token = await steps.enter(owner.token, id);
  await http.post("/v1/object/lead", { token, body: { name: "Marker" }, expect: 201 });
  await http.post("/v1/object/app", { token, body: { name: "Marker", api_name: "marker" }, expect: 201 });
};

/** `old` with all that `mark` made, `new` with nothing of it, else what there is. */
const contents = async ({ id }: Place): Promise<string> => {
  const db = mongo.db(id);
  const count = (name: string) => db.collection(name).countDocuments({ name: "Marker" });
  const found = `${await count("lead")},${await count("app")},${await db.collection("app").countDocuments()}`;
  return { "1,1,2": "old", "0,0,1": "new" }[found] ?? found;
};

const expectRight = async ({ owner: { organizationId }, production }: Place): Promise<void> => {
  expect(await faultsOf(mongo, organizationId)).toEqual([]);
  expect(await dumpOfProduction(mongo, organizationId)).toEqual(production);
};

describe("an operation that is stopped after a step is completed or undone, and a retry converges", () => {
  test("create", async () => {
    const place = await newPlace("box");
    for (const step of COPY_STEPS) {
      const run = await runs.begin(place.id, () => create(place));
      await runs.drive(run, "create", step);
      await runs.reconcile(place.id);
      await runs.sweep();
      const { status, failure } = await show(place);
      const ended = COPY_STEPS.indexOf(step) >= COPY_STEPS.indexOf("switch-over") ? "active" : "failed";
      expect([step, status, failure?.reason ?? ""]).toEqual([
        step,
        ended,
        ended === "active" ? "" : "It was interrupted. Try again.",
      ]);
      await expectRight(place);
      if (status === "failed") continue;
      expect(await contents(place)).toBe("new");
      await steps.remove(place.owner.token, "box");
      await expectRight(place);
    }
  });

  test("refresh", async () => {
    const place = await newPlace("box");
    await steps.create(place.owner.token, "box");
    await mark(place);
    // Signing in to the sandbox is noted in production.
    const production = await dumpOfProduction(mongo, place.owner.organizationId);
    for (const step of COPY_STEPS) {
      const run = await runs.begin(place.id, () => refresh(place));
      await runs.drive(run, "refresh", step);
      await runs.reconcile(place.id);
      await runs.sweep();
      const isNew = COPY_STEPS.indexOf(step) >= COPY_STEPS.indexOf("switch-over");
      expect([step, (await show(place)).status, await contents(place)]).toEqual([
        step,
        "active",
        isNew ? "new" : "old",
      ]);
      await expectRight({ ...place, production });
      if (!isNew) continue;
      expect((await show(place)).users).toBe(4);
      const again = await steps.refresh(place.owner.token, "box");
      expect(again).toMatchObject({ status: "active", users: 4, failure: null });
      await expectRight({ ...place, production });
    }
  });

  test("delete", async () => {
    const place = await newPlace("box");
    for (const step of DELETE_STEPS) {
      await steps.create(place.owner.token, "box");
      const run = await runs.begin(place.id, () => remove(place));
      await runs.drive(run, "delete", step);
      await runs.reconcile(place.id);
      await runs.sweep();
      await expectRight(place);
      await http.get("/v1/sandbox/box", { token: place.owner.token, expect: 404 });
    }
  });
});

describe("a switch-over does nothing", () => {
  test("if one of the copies is gone, or when its run is being undone", async () => {
    const place = await newPlace("box");
    await steps.create(place.owner.token, "box");
    await mark(place);
    const production = await dumpOfProduction(mongo, place.owner.organizationId);
    const run = await runs.begin(place.id, () => refresh(place));
    const switchOver = (await runs
      .drive(run, "refresh", "switch-over", async <T>(one: Call): Promise<T> => {
        if (one.step !== "switch-over") return runs.call<T>(one);
        const names = (await mongo.db(place.id).listCollections({}, { nameOnly: true }).toArray()).map(
          ({ name }) => name,
        );
        await mongo.db(place.id).dropCollection(names.find((name) => name.endsWith("_role")) as string);
        return undefined as T;
      })
      .then((made) => made.at(-1))) as Call;
    await expect(runs.call(switchOver)).rejects.toThrow();
    expect(await contents(place)).toBe("old");
    const registry = mongo.db("base").collection<{ _id: string }>("organization");
    await registry.updateOne({ _id: place.id }, { $set: { "sandbox.run.undoing": true } });
    await expect(runs.call(switchOver)).rejects.toMatchObject({ name: "sandbox_run_superseded" });
    await runs.reconcile(place.id);
    expect([(await show(place)).status, await contents(place)]).toEqual(["active", "old"]);
    await runs.sweep();
    await expectRight({ ...place, production });
  });
});

/** Runs a task again as soon as it is running, and gives one of the results. */
const twiceAtOnce = async <T>(one: Call): Promise<T> => {
  const both = await Promise.allSettled([runs.call<T>(one), runs.call<T>(one)]);
  const done = both.find((result) => result.status === "fulfilled");
  if (done === undefined) throw (both[0] as PromiseRejectedResult).reason;
  return done.value;
};

const twice = async <T>(one: Call): Promise<T> => {
  await runs.call(one);
  return runs.call<T>(one);
};

describe.each([
  ["twice", twice],
  ["twice at once", twiceAtOnce],
] as const)("an operation whose tasks all run %s, and again after its end, ends as usual:", (_, perform) => {
  test("create, refresh, delete", async () => {
    const place = await newPlace("box");
    const late: Call[] = [];
    for (const [operation, request] of [
      ["create", create],
      ["refresh", refresh],
      ["delete", remove],
    ] as const) {
      const run = await runs.begin(place.id, () => request(place));
      late.push(...(await runs.drive(run, operation, undefined, perform)));
      await Promise.allSettled(late.map((one) => runs.call(one)));
      await runs.sweep();
      await expectRight(place);
      if (operation === "delete") continue;
      expect([(await show(place)).status, await contents(place)]).toEqual(["active", "new"]);
      const { body } = await http.get("/v1/sandbox/box/diff", { token: place.owner.token, expect: 200 });
      expect(body.identical).toBe(true);
    }
    await http.get("/v1/sandbox/box", { token: place.owner.token, expect: 404 });
  });
});

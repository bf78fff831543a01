import { setTimeout } from "node:timers/promises";
import { GetExecutionHistoryCommand, SFNClient, StopExecutionCommand } from "@aws-sdk/client-sfn";
import type { Collection, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addUser,
  awsSettings,
  databaseClient,
  executionArn,
  http,
  invokeOperation,
  registerOrganization,
  type User,
} from "../../platform.ts";
import { dumpOfProduction, faultsOf } from "../../setup/sandbox-checks.ts";
import { sandboxRuns } from "../../setup/sandbox-runs.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

type Stored = Document & { _id: string };

const steps = sandboxSteps(http);
const workflows = new SFNClient(awsSettings);

let mongo: MongoClient;
let runs: ReturnType<typeof sandboxRuns>;
let owner: User;
let id: string;
let production: Record<string, string[]>;

beforeAll(async () => {
  mongo = await databaseClient();
  runs = sandboxRuns(mongo, invokeOperation);
  owner = await registerOrganization();
  id = `${owner.organizationId}_s_box`;
  await addUser(owner.organizationId, { isAccountAdmin: true });
  await http.post("/v1/object/app", { token: owner.token, body: { name: "Shop", api_name: "shop" }, expect: 201 });
  production = await dumpOfProduction(mongo, owner.organizationId);
});
afterAll(() => mongo.close());

const create = () => http.post("/v1/sandbox", { token: owner.token, body: { name: "box" } });
const refresh = () => http.post("/v1/sandbox/box/refresh", { token: owner.token, body: {} });
const remove = () => http.delete("/v1/sandbox/box", { token: owner.token });
const show = async () => (await http.get("/v1/sandbox/box", { token: owner.token })).body;

const requests = { create, refresh, delete: remove } as const;

const runOf = async (): Promise<string | undefined> =>
  (await mongo.db("base").collection<Stored>("organization").findOne({ _id: id }))?.sandbox?.run?.id;

const marker = () => mongo.db(id).collection<Stored>("app").findOne({ _id: "marker" });
const mark = () => mongo.db(id).collection<Stored>("app").insertOne({ _id: "marker", name: "Marker" });

const expectRight = async (): Promise<void> => {
  await runs.sweep();
  expect(await faultsOf(mongo, owner.organizationId)).toEqual([]);
  expect(await dumpOfProduction(mongo, owner.organizationId)).toEqual(production);
};

/** Stops the execution of the request's run as soon as it has entered a state, whose task then goes on alone. */
const stopAt = async (request: () => Promise<{ status: number }>, state: string): Promise<void> => {
  const answered = request();
  let run = await runOf();
  while (run === undefined) run = await runOf();
  const arn = executionArn("sandbox", run);
  const entered = async (): Promise<boolean> => {
    const history = new GetExecutionHistoryCommand({ executionArn: arn, maxResults: 1000 });
    const { events = [] } = await workflows.send(history).catch(() => ({ events: [] }));
    return events.some(({ stateEnteredEventDetails: entry }) => entry?.name === state);
  };
  while (!(await entered())) await setTimeout(2);
  await workflows.send(new StopExecutionCommand({ executionArn: arn }));
  await runs.reconcile(id);
  expect((await answered).status).toBeLessThan(504);
};

const copying = [
  "Register",
  "CopyKinds",
  "CopyConfiguration",
  "IndexConfiguration",
  "SettleCopies",
  "CopyUsers",
  "ApplySafety",
  "SwitchOver",
  "EnterLists",
  "Finish",
];
const deleting = ["Register", "Close", "LeaveLists", "RemoveBelongings", "DropDatabase", "Unregister"];

/** All of them in `npm run fuzz`. */
const states = [
  ...copying.map((state) => ["create", state] as const),
  ...copying.map((state) => ["refresh", state] as const),
  ...deleting.map((state) => ["delete", state] as const),
].filter(
  ([operation, state]) =>
    process.env.FUZZ_SEED !== undefined ||
    ["create CopyUsers", "refresh IndexConfiguration", "refresh SwitchOver", "delete DropDatabase"].includes(
      `${operation} ${state}`,
    ),
);

describe("an execution that is stopped in the middle leaves the sandbox old or new, and a retry converges:", () => {
  test.each(states)("%s, in the state %s", async (operation, state) => {
    if (operation !== "create") {
      await steps.create(owner.token, "box");
      await mark();
    }
    await stopAt(requests[operation], state);
    await expectRight();
    const { status } = await show();
    if (operation === "delete") {
      expect(status).toBeUndefined();
      return;
    }
    expect(status).toMatch(operation === "create" ? /^(active|failed)$/ : /^active$/);
    if (status === "active") expect((await show()).users).toBe(2);
    if (status === "failed") expect((await steps.create(owner.token, "box")).status).toBe("active");
    else expect(await steps.refresh(owner.token, "box")).toMatchObject({ status: "active", failure: null });
    expect(await marker()).toBeNull();
    await expectRight();
    await steps.remove(owner.token, "box");
    await expectRight();
  });
});

describe("a step that fails is undone, the reason is told, and a retry converges:", () => {
  const general = "Something went wrong on our side. Try again; if it fails again, quote the sandbox's id to us.";

  /** Breaks a schema of production for the time of some work. */
  const whileBroken = async (
    object: string,
    breakIt: (schemas: Collection<Stored>) => Promise<unknown>,
    work: () => Promise<unknown>,
  ): Promise<void> => {
    const schemas = mongo.db(owner.organizationId).collection<Stored>("schemas");
    const stored = await schemas.findOne({ _id: object });
    await breakIt(schemas);
    try {
      await work();
    } finally {
      await schemas.replaceOne({ _id: object }, stored as Stored, { upsert: true });
    }
  };

  /** The step is tried several times, so that a request may be answered before it is given up. */
  const failed = async (request: () => Promise<{ status: number; body: { code?: string } }>): Promise<void> => {
    const { status, body } = await request();
    expect([status, body.code]).toEqual(status === 202 ? [202, undefined] : [503, "sandbox_failed"]);
    await steps.settled(owner.token, "box");
  };

  test("one of the copies that are made at the same time", async () => {
    const unreadable = { $set: { properties: "broken" } };
    await whileBroken(
      "role",
      (schemas) => schemas.updateOne({ _id: "role" }, unreadable),
      () => failed(create),
    );
    expect(await show()).toMatchObject({ status: "failed", failure: { operation: "create", reason: general } });
    await expectRight();
    expect(await steps.create(owner.token, "box")).toMatchObject({ status: "active", failure: null });
    await steps.remove(owner.token, "box");
  });

  test("the copy of the users", async () => {
    await steps.create(owner.token, "box");
    await mark();
    await whileBroken(
      "user",
      (schemas) => schemas.deleteOne({ _id: "user" }),
      () => failed(refresh),
    );
    const failure = { operation: "refresh", step: "copy-users", reason: general };
    expect(await show()).toMatchObject({ status: "active", failure });
    expect(await marker()).not.toBeNull();
    await expectRight();
    expect(await steps.refresh(owner.token, "box")).toMatchObject({ status: "active", failure: null });
    expect(await marker()).toBeNull();
    await steps.remove(owner.token, "box");
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { deliver, functionRecord, scheduledItems } from "./scheduled-items.ts";

const HOUR = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString();

let owner: User;
let items: ReturnType<typeof scheduledItems>;
/** A function that answers its arguments, and its id. */
let echo: { id: string };

beforeAll(async () => {
  owner = await registerOrganization();
  items = scheduledItems(owner);
  echo = await functionRecord(owner, "return kwargs");
});

describe("a scheduled item", () => {
  it("whose time has come runs its function with its data, and says how it went", async () => {
    const { id } = await items.add({ function: echo, run_date_time: inHours(-1), data: { a: 1 } });
    const item = await items.become(id, "Completed");
    expect(item.status_history.map(({ status }: { status: string }) => status)).toEqual([
      "Queued",
      "Running",
      "Completed",
    ]);
    const { body: log } = await http.get(`/v1/object/log/${item.execution_id}`, { token: owner.token, expect: 200 });
    expect(log).toMatchObject({ place: "schedule", status: "completed", inputs: { a: 1 }, output: { a: 1 } });
  });

  it("waits for its time", async () => {
    const { id } = await items.add({ function: echo, run_date_time: new Date(Date.now() + 3_000).toISOString() });
    const item = await items.become(id, "Completed");
    const [queued, begun] = item.status_history;
    expect([queued.status, begun.status]).toEqual(["Queued", "Running"]);
    expect(Date.parse(begun.at)).toBeGreaterThanOrEqual(Date.parse(item.run_date_time));
  });

  it("fails with the reason if its function raises", async () => {
    const failing = await functionRecord(owner, "raise ValueError('no')");
    const { id } = await items.add({ function: failing, run_date_time: inHours(-1) });
    const item = await items.become(id, "Failed");
    expect(item.status_history.at(-1)).toMatchObject({
      status: "Failed",
      reason: "no",
      execution_id: item.execution_id,
    });
  });

  it("that is moved runs at its new time only", async () => {
    const { id, revision } = await items.add({ function: echo, run_date_time: inHours(5) });
    expect(revision).toBe(1);
    expect((await items.change(id, { run_date_time: inHours(-1) })).revision).toBe(2);
    await items.become(id, "Completed");
  });
});

describe("a scheduled item is refused", () => {
  const at = inHours(1);
  it.each<[string, object, string, string]>([
    ["without what runs", {}, "function", "missing"],
    ["with a function and an automation", { both: true }, "function", "value_error"],
    ["with an unknown function", { function: { id: "unknown" } }, "function", "reference_not_found"],
    [
      "with an expression that is none",
      { schedule_expression: "every day" },
      "schedule_expression",
      "schedule_expression",
    ],
    [
      "with a one-time expression",
      { schedule_expression: "at(2030-01-01T00:00:00)" },
      "schedule_expression",
      "schedule_expression",
    ],
    [
      "with a cron expression of five fields",
      { schedule_expression: "cron(0 9 * * 1)" },
      "schedule_expression",
      "schedule_expression",
    ],
    [
      "with two days in a cron expression",
      { schedule_expression: "cron(0 9 1 * 2 *)" },
      "schedule_expression",
      "schedule_expression",
    ],
    ["with minute 60", { schedule_expression: "cron(60 9 * * ? *)" }, "schedule_expression", "schedule_expression"],
    ["with an unknown time zone", { time_zone: "Mars/Olympus" }, "time_zone", "time_zone"],
    [
      "with an end that has passed",
      { schedule_expression: "rate(1 hour)", enabled_until: inHours(-1) },
      "enabled_until",
      "value_error",
    ],
    ["with an end but without an expression", { enabled_until: inHours(1) }, "enabled_until", "value_error"],
    ["with data that are no object", { data: [1] }, "data", "object_type"],
    ["with the status Completed", { status: "Completed" }, "status", "status"],
    ["with the status Running", { status: "Running" }, "status", "status"],
    ["without a time", { run_date_time: null }, "run_date_time", "missing"],
  ])("%s", async (title, { both, ...fields }: { both?: true }, field, type) => {
    const own = title === "without what runs" ? {} : { function: echo };
    let more = {};
    if (both) {
      const body = { name: "Empty" };
      const automation = await http.post("/v1/object/automation", { token: owner.token, body, expect: 201 });
      more = { automation: { id: automation.body.id } };
    }
    const body = { name: "Item", run_date_time: at, ...own, ...more, ...fields };
    const reply = await http.post("/v1/object/scheduled_item", { token: owner.token, body, expect: 422 });
    expect(reply.body.detail).toEqual([expect.objectContaining({ loc: ["body", field], type })]);
  });

  it("in a change, as when it is created", async () => {
    const { id } = await items.add({ function: echo, run_date_time: at });
    for (const body of [{ status: "Failed" }, { schedule_expression: "rate(0 days)" }, { function: null }]) {
      await http.patch(`/v1/object/scheduled_item/${id}`, { token: owner.token, body, expect: 422 });
    }
    expect((await items.get(id)).revision).toBe(1);
  });
});

describe("a scheduled item runs in the name of", () => {
  it("whoever changed it last", async () => {
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    const whoami = await functionRecord(owner, "return platform.user['id']");
    const { id } = await items.add({ function: whoami, run_date_time: inHours(5) });
    const body = { run_date_time: inHours(-1) };
    await http.patch(`/v1/object/scheduled_item/${id}`, { token: admin.token, body, expect: 200 });
    const { execution_id } = await items.become(id, "Completed");
    const log = await http.get(`/v1/object/log/${execution_id}`, { token: owner.token, expect: 200 });
    expect(log.body.output).toBe(admin.id);
  });

  it("nobody who is inactive: it fails with the reason", async () => {
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    const mine = scheduledItems(admin);
    const { id } = await mine.add({ function: echo, run_date_time: inHours(5) });
    await http.patch(`/v1/object/user/${admin.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    expect(await deliver(owner, { id, revision: 1 })).toBe("failed");
    const item = await items.get(id);
    expect(item.status).toBe("Failed");
    expect(item.status_history.at(-1).reason).toBe("The user in whose name this runs is not active.");
  });
});

it("an item whose function was deleted or deactivated fails with the reason", async () => {
  const gone = await functionRecord(owner, "return 1");
  const { id } = await items.add({ function: gone, run_date_time: inHours(5) });
  await http.patch(`/v1/object/function/${gone.id}`, { token: owner.token, body: { active: false }, expect: 200 });
  expect(await deliver(owner, { id, revision: 1 })).toBe("failed");
  expect((await items.get(id)).status_history.at(-1)).toMatchObject({ status: "Failed", reason: expect.any(String) });
});

it("an item that has failed runs again when its status is set to Queued", async () => {
  const { id } = await items.add({ function: echo, run_date_time: inHours(-1) });
  const first = await items.become(id, "Completed");
  await items.change(id, { status: "Queued" });
  await expect.poll(async () => (await items.get(id)).execution_id, { timeout: 240_000 }).not.toBe(first.execution_id);
  const { status_history } = await items.become(id, "Completed");
  expect(status_history.map(({ status }: { status: string }) => status)).toEqual([
    "Queued",
    "Running",
    "Completed",
    "Queued",
    "Running",
    "Completed",
  ]);
});

it("an item with an automation runs it with its data as inputs", async () => {
  const definition = {
    name: "Doubles",
    active: true,
    nodes: [
      { id: "start", type: "trigger", config: { kind: "manual" } },
      { id: "end", type: "return", config: { value: { "=": "inputs.a * 2" } } },
    ],
    edges: [{ from: "start", to: "end" }],
  };
  const { body } = await http.post("/v1/object/automation", { token: owner.token, body: definition, expect: 201 });
  const { id } = await items.add({ automation: { id: body.id }, run_date_time: inHours(-1), data: { a: 21 } });
  const { execution_id } = await items.become(id, "Completed");
  const log = await http.get(`/v1/object/log/${execution_id}`, { token: owner.token, expect: 200 });
  expect(log.body).toMatchObject({ kind: "automation", place: "schedule", output: 42 });
});

it("a rate runs again and again, and is queued between its runs", async () => {
  const { id } = await items.add({
    function: echo,
    run_date_time: new Date(Date.now() + 1_500).toISOString(),
    schedule_expression: "rate(1 minute)",
  });
  await expect.poll(async () => (await items.get(id)).last_run, { timeout: 240_000 }).not.toBeNull();
  const item = await items.become(id, "Queued");
  // After a minute it runs once more.
  const begin = item.status_history.slice(0, 3);
  expect(begin.map(({ status }: { status: string }) => status)).toEqual(["Queued", "Running", "Queued"]);
  expect(item.execution_id).toMatch(/^[0-9a-f-]{36}$/);
  await items.change(id, { status: "Cancelled" });
  expect(await items.schedule(id)).toBeUndefined();
});

import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { addLead, untilLead } from "./functions.ts";
import { deliver, functionRecord, scheduledItems } from "./scheduled-items.ts";

const HOUR = 3_600_000;
const later = (): string => new Date(Date.now() + HOUR).toISOString();

let owner: User;
let items: ReturnType<typeof scheduledItems>;
/** A function that notes each run in a lead with the name of its `note`. */
let notes: { id: string };

beforeAll(async () => {
  owner = await registerOrganization();
  items = scheduledItems(owner);
  notes = await functionRecord(owner, "await platform.records.create('lead', {'name': kwargs['note']})");
});

/** An item that nobody has delivered yet, and its number of runs. */
const waiting = async (more: object = {}) => {
  const note = `note ${Math.random()}`;
  const item = await items.add({ function: notes, run_date_time: later(), data: { note }, ...more });
  const q = `SELECT COUNT(*) AS runs FROM lead WHERE name = '${note}'`;
  const runs = async (): Promise<number> => {
    const reply = await http.get(`/v1/query?q=${encodeURIComponent(q)}`, { token: owner.token, expect: 200 });
    return (reply.body.records ?? reply.body)[0].runs;
  };
  return { id: item.id as string, runs };
};

describe("deliveries of a run", () => {
  it("that come several times at once, and again later, run it once", async () => {
    const { id, runs } = await waiting();
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => deliver(owner, { id, revision: 1 })));
    expect(outcomes.toSorted()).toEqual(["completed", "dropped", "dropped", "dropped", "dropped", "dropped"]);
    expect(await deliver(owner, { id, revision: 1 })).toBe("dropped");
    expect(await runs()).toBe(1);
    expect((await items.get(id)).status).toBe("Completed");
  });

  it("of an earlier revision are dropped, also when they come after the later one", async () => {
    const { id, runs } = await waiting();
    await items.change(id, { run_date_time: new Date(Date.now() + 2 * HOUR).toISOString() });
    expect(await deliver(owner, { id, revision: 1 })).toBe("dropped");
    expect([(await items.get(id)).status, await runs()]).toEqual(["Queued", 0]);
    expect(await deliver(owner, { id, revision: 2 })).toBe("completed");
    expect(await deliver(owner, { id, revision: 1 })).toBe("dropped");
    expect(await runs()).toBe(1);
  });

  it("of a recurring item run it once for each time, and none for an earlier one", async () => {
    const { id, runs } = await waiting({ schedule_expression: "cron(0 9 * * ? *)" });
    const at = (hour: number) => new Date(Date.UTC(2030, 0, 1, hour));
    const outcomes = await Promise.all([1, 2, 3].map(() => deliver(owner, { id, revision: 1, at: at(9) })));
    expect(outcomes.toSorted()).toEqual(["completed", "dropped", "dropped"]);
    expect(await deliver(owner, { id, revision: 1, at: at(8) })).toBe("dropped");
    expect(await deliver(owner, { id, revision: 1, at: at(10) })).toBe("completed");
    expect(await deliver(owner, { id, revision: 1, at: at(9) })).toBe("dropped");
    expect(await runs()).toBe(2);
    expect(await items.get(id)).toMatchObject({ status: "Queued", last_run: "2030-01-01T10:00:00.000Z" });
  });

  it("of what is cancelled, deleted or in no organization are dropped", async () => {
    const cancelled = await waiting();
    await items.change(cancelled.id, { status: "Cancelled" });
    expect(await deliver(owner, { id: cancelled.id, revision: 2 })).toBe("dropped");
    const deleted = await waiting();
    await items.remove(deleted.id);
    expect(await deliver(owner, { id: deleted.id, revision: 1 })).toBe("dropped");
    expect(await deliver({ organizationId: "org_0000000000000000" }, { id: deleted.id, revision: 1 })).toBe("dropped");
    expect([await cancelled.runs(), await deleted.runs()]).toEqual([0, 0]);
    expect((await items.get(cancelled.id)).status).toBe("Cancelled");
  });
});

describe("a run that begins at the same time as", () => {
  const RACES = 8;

  it("a cancellation: the item is either cancelled and has not run, or has run and was not cancelled", async () => {
    for (let race = 0; race < RACES; race++) {
      const { id, runs } = await waiting();
      const [outcome, reply] = await Promise.all([
        deliver(owner, { id, revision: 1 }),
        http.patch(`/v1/object/scheduled_item/${id}`, { token: owner.token, body: { status: "Cancelled" } }),
      ]);
      const { status, status_history } = await items.get(id);
      const ran = await runs();
      if (outcome === "dropped") expect([reply.status, status, ran]).toEqual([200, "Cancelled", 0]);
      // An item that has ended can be cancelled too, so that it is not queued again by mistake.
      else if (reply.status === 200) expect([status, ran, status_history.length]).toEqual(["Cancelled", 1, 4]);
      else expect([reply.status, status, ran]).toEqual([422, "Completed", 1]);
    }
  });

  it("a change of its time: it runs once with the old time, or not before the new one", async () => {
    for (let race = 0; race < RACES; race++) {
      const { id, runs } = await waiting();
      const body = { run_date_time: new Date(Date.now() + 3 * HOUR).toISOString() };
      const [outcome, reply] = await Promise.all([
        deliver(owner, { id, revision: 1 }),
        http.patch(`/v1/object/scheduled_item/${id}`, { token: owner.token, body }),
      ]);
      const { status, revision } = await items.get(id);
      if (outcome === "dropped") {
        expect([reply.status, status, revision, await runs()]).toEqual([200, "Queued", 2, 0]);
        expect(await deliver(owner, { id, revision: 2 })).toBe("completed");
      } else expect([422, 200]).toContain(reply.status);
      expect(await runs()).toBe(1);
    }
  });

  it("its deletion: it runs once or not at all, and nothing is left", async () => {
    for (let race = 0; race < RACES; race++) {
      const { id, runs } = await waiting();
      const [outcome] = await Promise.all([deliver(owner, { id, revision: 1 }), items.remove(id)]);
      expect(await runs()).toBe(outcome === "dropped" ? 0 : 1);
      await http.get(`/v1/object/scheduled_item/${id}`, { token: owner.token, expect: 404 });
      // The delivery may be changing the schedule, and then removes it a moment after the deletion.
      await expect.poll(() => items.schedule(id), { timeout: 240_000 }).toBeUndefined();
    }
  });
});

describe("an item that is running", () => {
  it("cannot be changed in what it runs, and goes on when its name is changed", async () => {
    const slow = await functionRecord(owner, `${untilLead("Refused and renamed")}return 1`);
    const { id } = await items.add({ function: slow, run_date_time: new Date(Date.now() - HOUR).toISOString() });
    await items.become(id, "Running");
    for (const body of [{ status: "Cancelled" }, { status: "Queued" }, { run_date_time: later() }, { data: {} }]) {
      const reply = await http.patch(`/v1/object/scheduled_item/${id}`, { token: owner.token, body, expect: 422 });
      expect(reply.body.detail).toMatchObject([{ loc: ["body", "status"], type: "running" }]);
    }
    await items.change(id, { name: "Another name" });
    await addLead(owner, "Refused and renamed");
    await items.become(id, "Completed");
  });

  it("again and again can be cancelled: its run ends, and no other begins", async () => {
    const slow = await functionRecord(owner, `${untilLead("Was cancelled")}return 1`);
    const { id } = await items.add({ function: slow, run_date_time: later(), schedule_expression: "rate(1 hour)" });
    const run = deliver(owner, { id, revision: 1 });
    await items.become(id, "Running");
    await items.change(id, { status: "Cancelled" });
    await addLead(owner, "Was cancelled");
    expect(await run).toBe("completed");
    const item = await items.get(id);
    expect([item.status, typeof item.execution_id]).toEqual(["Cancelled", "string"]);
    expect(await items.schedule(id)).toBeUndefined();
  });
});

describe("the schedule of an item", () => {
  it("has its time, its revision and its name, and follows its changes", async () => {
    const { id } = await waiting({ run_date_time: "2040-01-01T10:00:00.250Z" });
    const first = await items.schedule(id);
    expect(first).toMatchObject({
      ScheduleExpression: "at(2040-01-01T10:00:01)",
      ScheduleExpressionTimezone: "UTC",
      ActionAfterCompletion: "DELETE",
    });
    expect(JSON.parse(first?.Target?.Input ?? "")).toEqual({
      organization: owner.organizationId,
      kind: "item",
      id,
      revision: "1",
      scheduled_time: "<aws.scheduler.scheduled-time>",
    });
    await items.change(id, {
      schedule_expression: "cron(0 9 ? * MON-FRI *)",
      time_zone: "Europe/Berlin",
      enabled_until: "2050-01-01T00:00:00.000Z",
    });
    const second = await items.schedule(id);
    expect(second).toMatchObject({
      ScheduleExpression: "cron(0 9 ? * MON-FRI *)",
      ScheduleExpressionTimezone: "Europe/Berlin",
      StartDate: new Date("2040-01-01T10:00:00.250Z"),
      EndDate: new Date("2050-01-01T00:00:00.000Z"),
    });
    expect(JSON.parse(second?.Target?.Input ?? "").revision).toBe("2");
    await items.change(id, { status: "Cancelled" });
    expect(await items.schedule(id)).toBeUndefined();
    await items.change(id, { status: "Queued" });
    expect(await items.schedule(id)).toBeDefined();
    await items.remove(id);
    expect(await items.schedule(id)).toBeUndefined();
  });

  it("is made for each of many items that are created at once", async () => {
    const body = Array.from({ length: 60 }, (_, index) => ({
      name: `Item ${index}`,
      function: notes,
      run_date_time: later(),
    }));
    const reply = await http.post("/v1/object/scheduled_item", { token: owner.token, body, expect: 201 });
    const schedules = await Promise.all(reply.body.map(({ id }: { id: string }) => items.schedule(id)));
    expect(schedules.filter((one) => one !== undefined)).toHaveLength(60);
  });
});

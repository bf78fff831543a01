import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { functionRecord, scheduledItems } from "./scheduled-items.ts";

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
    expect((await items.get(id)).status).toBe("Queued");
    const item = await items.become(id, "Completed");
    const ran = Date.parse(item.status_history[1].at);
    expect(ran).toBeGreaterThanOrEqual(Date.parse(item.run_date_time));
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

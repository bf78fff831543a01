import { beforeAll, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";
import { deliver, functionRecord, scheduledItems } from "../automation/scheduled-items.ts";

const later = (): string => new Date(Date.now() + 3_600_000).toISOString();

const steps = sandboxSteps(http);
let owner: User;
let echo: { id: string };

beforeAll(async () => {
  owner = await registerOrganization();
  echo = await functionRecord(owner, "return kwargs");
});

/** The owner in a new sandbox. */
const sandboxed = async (name: string): Promise<User> => {
  const { id } = await steps.create(owner.token, name);
  return { ...owner, organizationId: id, token: await steps.enter(owner.token, id) };
};

const setSchedules = (name: string, enable_schedules: boolean) =>
  http.patch(`/v1/sandbox/${name}`, { token: owner.token, body: { enable_schedules }, expect: 200 });

it("items of a sandbox are paused until its settings let them run, and paused again afterwards", async () => {
  const user = await sandboxed("paused");
  const items = scheduledItems(user);
  const { id } = await items.add({ function: echo, run_date_time: later() });
  const { id: late } = await items.add({ function: echo, run_date_time: new Date(Date.now() - 1_000).toISOString() });
  expect([await items.schedule(id), await deliver(user, { id, revision: 1 })]).toEqual([undefined, "dropped"]);
  expect((await items.get(late)).status).toBe("Queued");
  await setSchedules("paused", true);
  expect(await items.schedule(id)).toBeDefined();
  await items.become(late, "Completed");
  await setSchedules("paused", false);
  expect([await items.schedule(id), await deliver(user, { id, revision: 1 })]).toEqual([undefined, "dropped"]);
});

it("a refresh of a sandbox removes its items and their schedules, and its deletion too", async () => {
  const user = await sandboxed("removed");
  await setSchedules("removed", true);
  const { id } = await scheduledItems(user).add({ function: echo, run_date_time: later() });
  expect(await scheduledItems(user).schedule(id)).toBeDefined();
  await steps.refresh(owner.token, "removed");
  expect(await scheduledItems(user).schedule(id)).toBeUndefined();
  const again = { ...user, token: await steps.enter(owner.token, user.organizationId) };
  const { id: second } = await scheduledItems(again).add({ function: echo, run_date_time: later() });
  expect(await scheduledItems(again).schedule(second)).toBeDefined();
  await steps.remove(owner.token, "removed");
  expect(await scheduledItems(again).schedule(second)).toBeUndefined();
});

import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { addUser, databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { recordsOf } from "../automation/triggers.ts";

const patience = { timeout: 120_000, interval: 100 };

let owner: User;
let mongo: MongoClient;

beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
});
afterAll(() => mongo.close());

const save = async (object: string, body: object): Promise<string> =>
  (await http.post(`/v1/object/${object}`, { token: owner.token, body, expect: 201 })).body.id;

interface Window extends Document {
  _id: string;
  revision: string;
  count: number;
  due: Date;
}

const windows = () => mongo.db(owner.organizationId).collection<Window>("_digest");
const windowOf = (user: User) => windows().findOne({ "recipients.user": user.id });

const waiting = async (user: User, count: number): Promise<Window> => {
  await vi.waitFor(async () => expect(await windowOf(user)).toMatchObject({ count }), patience);
  return (await windowOf(user)) as Window;
};

const run = ({ _id: id, revision }: Pick<Window, "_id" | "revision">) =>
  invokeOperation<{ outcome: string }>("run-scheduled", {
    organization: owner.organizationId,
    kind: "digest",
    id,
    revision,
    scheduled_time: new Date().toISOString(),
  });

const emailsTo = async (user: User) =>
  (await recordsOf(owner, "email_message")).filter(({ to_email }) => to_email === user.email);

const fire = (name: string, count: number) =>
  http.post("/v1/notifications", {
    token: owner.token,
    body: Array.from({ length: count }, () => ({ name })),
    expect: 202,
  });

/** A digest of the day comes in twelve hours, so that none is due during a test. */
const digestLater = ({ token }: User) => {
  const digest_time = new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16);
  return http.put("/v1/notifications/preferences", { token, body: { digest_time }, expect: 200 });
};

/** Quiet hours that hold for the next two hours at least, in UTC. */
const quietNow = () => {
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  return { from: clock(-1), to: clock(3) };
};

it("a digest is one message, however often and by how many it is sent, and lists what came in its time", async () => {
  const user = await addUser(owner.organizationId);
  await digestLater(user);
  const setting = { name: "Daily news", channels: ["in_app", "email"], digest: "daily" };
  await save("notification_setting", { ...setting, recipients: { users: [user.id] } });
  await fire("Daily news", 60);
  const window = await waiting(user, 60);
  await messagesAreHandled(owner);
  expect(window._id).toMatch(new RegExp(`^daily/${user.id}/`));
  expect(await emailsTo(user)).toEqual([]);
  expect((await run({ ...window, revision: "earlier" })).outcome).toBe("dropped");
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => run(window)));
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(["completed", ...Array(4).fill("dropped")]);
  await messagesAreHandled(owner);
  const [email, ...others] = await emailsTo(user);
  expect(others).toEqual([]);
  expect(email).toMatchObject({ subject: "60 notifications" });
  expect(String(email?.text).match(/• Daily news/g)).toHaveLength(50);
  expect(email?.text).toContain("and 10 more");
  expect(await windowOf(user)).toBeNull();
});

it("what comes in quiet hours is in the list at once and sent when they end; what is urgent is sent at once", async () => {
  const user = await addUser(owner.organizationId);
  const options = { token: user.token, body: { quiet_hours: quietNow() }, expect: 200 };
  await http.put("/v1/notifications/preferences", options);
  const common = { channels: ["in_app", "email"], recipients: { users: [user.id] } };
  await save("notification_setting", { name: "Calm", ...common });
  await save("notification_setting", { name: "Alarm", ...common, urgent: true });
  await fire("Calm", 1);
  await fire("Alarm", 1);
  const window = await waiting(user, 1);
  await messagesAreHandled(owner);
  expect((await emailsTo(user)).map((one) => one.subject)).toEqual(["Alarm"]);
  const list = await http.get("/v1/notifications", { token: user.token, expect: 200 });
  expect(list.body.unread_count).toBe(2);
  await http.put("/v1/notifications/preferences", { token: user.token, body: {}, expect: 200 });
  await run(window);
  await messagesAreHandled(owner);
  expect((await emailsTo(user)).map((one) => one.subject).sort()).toEqual(["Alarm", "Calm"]);
});

it("what comes while a digest is being sent is in it or in the next one", async () => {
  const user = await addUser(owner.organizationId);
  await digestLater(user);
  const setting = { name: "Race", channels: ["email"], digest: "daily", recipients: { users: [user.id] } };
  await save("notification_setting", setting);
  await fire("Race", 1);
  const first = await waiting(user, 1);
  await Promise.all([fire("Race", 20), run(first), run(first)]);
  let told = 0;
  await vi.waitFor(async () => {
    const left = await windowOf(user);
    if (left !== null) await run(left);
    const subjects = (await emailsTo(user)).map(({ subject }) => String(subject));
    told = subjects.reduce((sum, subject) => sum + (Number.parseInt(subject, 10) || 1), 0);
    expect(told).toBe(21);
  }, patience);
});

it("the job reconcile-schedules sends digests whose schedule was lost, and leaves the schedules of others", async () => {
  const user = await addUser(owner.organizationId);
  await digestLater(user);
  const setting = { name: "Lost", channels: ["email"], digest: "daily", recipients: { users: [user.id] } };
  await save("notification_setting", setting);
  await fire("Lost", 1);
  const window = await waiting(user, 1);
  await invokeOperation("reconcile-schedules", {});
  expect(await windowOf(user)).toMatchObject({ revision: window.revision });
  await windows().updateOne({ _id: window._id }, { $set: { due: new Date(Date.now() - 3_600_000) } });
  await invokeOperation("reconcile-schedules", {});
  await vi.waitFor(async () => expect(await emailsTo(user)).toHaveLength(1), patience);
  expect(await windowOf(user)).toBeNull();
});

it("a window that cannot be sent holds up no other one", async () => {
  const user = await addUser(owner.organizationId);
  await digestLater(user);
  const setting = { name: "Behind", channels: ["email"], digest: "daily", recipients: { users: [user.id] } };
  await save("notification_setting", setting);
  const due = new Date(Date.now() - 3_600_000);
  const broken = { _id: `daily/${user.id}/broken`, due: new Date(0), revision: "1", recipients: [], waiting: [] };
  await windows().insertOne({ ...broken, count: 2 });
  await fire("Behind", 1);
  const { _id } = await waiting(user, 1);
  await messagesAreHandled(owner);
  await windows().updateOne({ _id }, { $set: { due } });
  await invokeOperation("reconcile-schedules", {});
  await messagesAreHandled(owner);
  expect(await emailsTo(user)).toMatchObject([{ subject: "Behind" }]);
  await windows().deleteOne({ _id: broken._id });
});

const notificationsOf = async (user: User) =>
  (await recordsOf(owner, "notification")).filter((one) => (one.user as { id: string }).id === user.id);

it("notifications of a digest show that they wait, and then the message that they have become", async () => {
  const user = await addUser(owner.organizationId);
  await digestLater(user);
  const setting = { name: "Shown", channels: ["email"], digest: "daily", recipients: { users: [user.id] } };
  await save("notification_setting", setting);
  await fire("Shown", 2);
  const window = await waiting(user, 2);
  await messagesAreHandled(owner);
  expect(await notificationsOf(user)).toMatchObject([{ status: "queued" }, { status: "queued" }]);
  await run(window);
  await messagesAreHandled(owner);
  const [email] = await emailsTo(user);
  const shown = {
    status: "sent",
    deliveries: [{ channel: "email", status: "accepted", object: "email_message", id: email?.id }],
  };
  expect(await notificationsOf(user)).toMatchObject([shown, shown]);
});

it("a notification that no channel can bring to its user is failed, with the reason", async () => {
  const user = await addUser(owner.organizationId);
  await save("notification_setting", { name: "Rings", channels: ["push"], recipients: { users: [user.id] } });
  await fire("Rings", 1);
  await messagesAreHandled(owner);
  expect(await notificationsOf(user)).toMatchObject([
    { status: "failed", deliveries: [{ channel: "push", status: "skipped", reason: "no_device" }] },
  ]);
});

it("what waits for a user who is deactivated meanwhile is cancelled", async () => {
  const user = await addUser(owner.organizationId);
  await digestLater(user);
  const setting = { name: "Left", channels: ["email"], digest: "daily", recipients: { users: [user.id] } };
  await save("notification_setting", setting);
  await fire("Left", 2);
  const window = await waiting(user, 2);
  await messagesAreHandled(owner);
  const body = { is_active: false };
  await http.patch(`/v1/object/user/${user.id}`, { token: owner.token, body, expect: 200 });
  await run(window);
  await messagesAreHandled(owner);
  const cancelled = { status: "cancelled", events: [{ type: "queued" }, { type: "cancelled" }] };
  expect(await notificationsOf(user)).toMatchObject([cancelled, cancelled]);
});

it("a digest uses the channels of all its notifications, also of those that it only counts", async () => {
  const user = await addUser(owner.organizationId);
  await digestLater(user);
  const common = { digest: "daily", recipients: { users: [user.id] } };
  await save("notification_setting", { name: "Pushed", channels: ["push"], ...common });
  await save("notification_setting", { name: "Mailed", channels: ["email"], ...common });
  await fire("Pushed", 50);
  await waiting(user, 50);
  await fire("Mailed", 1);
  await run(await waiting(user, 51));
  await messagesAreHandled(owner);
  expect(await emailsTo(user)).toMatchObject([{ subject: "51 notifications" }]);
});

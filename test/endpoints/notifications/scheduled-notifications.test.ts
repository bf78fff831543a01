import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { endWrites } from "../billing/organization-state.ts";
import { letIn, registerApp } from "../identity/apps.ts";
import { withDatabase } from "../messages/messages.ts";

const patience = { timeout: 120_000, interval: 100 };

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** A notification of the sender that waits for its time. Gives its id. */
const schedule = async ({ token }: Pick<User, "token">, receiver: User): Promise<string> => {
  const body = { title: "Later", user_id: receiver.id, send_at: inAnHour() };
  return (await http.post("/v1/notifications/dynamic", { token, body, expect: 202 })).body.ids[0];
};

const recordOf = async (id: string, { token } = owner) =>
  (await http.get(`/v1/object/notification/${id}`, { token, expect: 200 })).body;

/** Lets the time of a notification come, and gives its record when it has ended. */
const fire = async (id: string, who = owner) => {
  const waiting = () =>
    withDatabase(who.organizationId, ({ collection }) =>
      collection("_digest").findOne({ "recipients.notification": id }),
    );
  await expect.poll(waiting, patience).not.toBeNull();
  const window = await waiting();
  await invokeOperation("run-scheduled", {
    organization: who.organizationId,
    kind: "digest",
    id: window?._id,
    revision: window?.revision,
    scheduled_time: new Date().toISOString(),
  });
  await expect.poll(async () => (await recordOf(id, who)).status, patience).not.toBe("scheduled");
  return recordOf(id, who);
};

const listed = async ({ token }: User): Promise<string[]> => {
  const { body } = await http.get("/v1/notifications", { token, expect: 200 });
  return body.notifications.map((one: { id: string }) => one.id);
};

const install = async () => {
  const app = await registerApp(owner.token, { scopes: ["read", "write"] });
  return { app, token: (await letIn(owner.token, app)).access_token as string };
};

describe("a notification with a send_at", () => {
  it("of an active user is told when its time has come", async () => {
    const [sender, receiver] = await Promise.all([addUser(owner.organizationId), addUser(owner.organizationId)]);
    const id = await schedule(sender, receiver);
    expect((await fire(id)).status).toBe("sent");
    expect(await listed(receiver)).toEqual([id]);
  });

  it("of a user who was deactivated fails, and its event says why", async () => {
    const [sender, receiver] = await Promise.all([addUser(owner.organizationId), addUser(owner.organizationId)]);
    const id = await schedule(sender, receiver);
    await http.patch(`/v1/object/user/${sender.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    const { status, events } = await fire(id);
    expect(status).toBe("failed");
    expect(events.at(-1)).toMatchObject({ type: "failed", detail: "The user in whose name this runs is not active." });
    expect(await listed(receiver)).toEqual([]);
  });

  it("of an app is told as long as the app is registered", async () => {
    const receiver = await addUser(owner.organizationId);
    const id = await schedule(await install(), receiver);
    expect((await fire(id)).status).toBe("sent");
    expect(await listed(receiver)).toEqual([id]);
  });

  it("of an app that was deleted fails, and its event says why", async () => {
    const receiver = await addUser(owner.organizationId);
    const { app, token } = await install();
    const id = await schedule({ token }, receiver);
    await http.delete(`/v1/auth/client/${app.client_id}`, { token: owner.token, expect: 204 });
    const { status, events } = await fire(id);
    expect(status).toBe("failed");
    expect(events.at(-1)).toMatchObject({
      type: "failed",
      detail: "The app in whose name this runs is not registered any more.",
    });
    expect(await listed(receiver)).toEqual([]);
  });

  it("of an organization that has not paid fails, and its event says why", async () => {
    const unpaid = await registerOrganization();
    const id = await schedule(unpaid, unpaid);
    await endWrites(unpaid.organizationId);
    const { status, events } = await fire(id, unpaid);
    expect(status).toBe("failed");
    expect(events.at(-1)).toMatchObject({ type: "failed", detail: expect.stringContaining("paid") });
  });

  it("that waits for quiet hours after its time is sent although its sender was deactivated since", async () => {
    const [sender, receiver] = await Promise.all([addUser(owner.organizationId), addUser(owner.organizationId)]);
    const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
    const quiet_hours = { from: clock(-1), to: clock(3) };
    await http.put("/v1/notifications/preferences", { token: receiver.token, body: { quiet_hours }, expect: 200 });
    const body = { title: "Later", user_id: receiver.id, send_at: inAnHour(), notify: true };
    const reply = await http.post("/v1/notifications/dynamic", { token: sender.token, body, expect: 202 });
    const id = reply.body.ids[0];
    expect((await fire(id)).status).toBe("sent");
    const put = () =>
      withDatabase(owner.organizationId, ({ collection }) =>
        collection("_digest").findOne({ "recipients.user": receiver.id }),
      );
    await expect.poll(put, patience).toMatchObject({ _id: expect.stringContaining("quiet/") });
    expect((await put())?.waiting).toEqual([expect.not.objectContaining({ actor: expect.anything() })]);
    await http.patch(`/v1/object/user/${sender.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    await http.put("/v1/notifications/preferences", { token: receiver.token, body: {}, expect: 200 });
    await fire(id);
    const channels = async () =>
      (await recordOf(id)).deliveries.map(({ channel, reason }: Record<string, string>) => `${channel} ${reason}`);
    await expect.poll(channels, patience).toContain("push no_device");
  });
});

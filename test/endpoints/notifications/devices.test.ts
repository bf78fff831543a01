import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { addUser, http, registerOrganization, signIn, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { fcmServer } from "../../vendors/fcm.ts";
import { vapidKeys, webPushServer } from "../../vendors/web-push.ts";

const patience = { timeout: 120_000, interval: 100 };

let owner: User;
let browsers: Awaited<ReturnType<typeof webPushServer>>;
let phones: Awaited<ReturnType<typeof fcmServer>>;
const vapid = vapidKeys();

const save = async (object: string, body: object, as = owner): Promise<string> =>
  (await http.post(`/v1/object/${object}`, { token: as.token, body, expect: 201 })).body.id;

const setToken = async (as: User, body: object) =>
  (await http.post("/v1/notifications/set-token", { token: as.token, body, expect: 200 })).body as {
    id: string;
    tokens: number;
  };

const send = (token: string, { as = owner, expect: status = 200, data = {} } = {}) =>
  http.post("/v1/notifications/send", {
    token: as.token,
    body: { message: { token, data: { title: "Hello", body: "World", ...data } } },
    expect: status,
  });

const pushOf = async (id: string) =>
  (await http.get(`/v1/object/push_message/${id}`, { token: owner.token, expect: 200 })).body;

const ended = async (id: string, status: string) => {
  await vi.waitFor(async () => expect(await pushOf(id)).toMatchObject({ status }), patience);
  return pushOf(id);
};

beforeAll(async () => {
  [browsers, phones] = await Promise.all([webPushServer(vapid), fcmServer()]);
  owner = await registerOrganization();
  const kind = "pushvendor";
  await save("auth_credential", { name: "web", kind, provider: "webpush", value: vapid, base_url: browsers.url });
  const value = { service_account: phones.service_account };
  await save("auth_credential", { name: "fcm", kind, provider: "fcm", value, base_url: phones.url });
});
afterAll(() => Promise.all([browsers.close(), phones.close()]));

describe("a device", () => {
  it("takes tokens with further keys, and one with keys of a subscription", async () => {
    const user = await addUser(owner.organizationId);
    expect(await setToken(user, { token: "t-1", platform: "ios", app_version: "7", nested: { a: 1 } })).toEqual({
      id: expect.any(String),
      tokens: 1,
    });
    expect((await setToken(user, { token: "t-1", platform: "ios" })).tokens).toBe(1);
    expect((await setToken(user, { ...browsers.subscribe(), expirationTime: null })).tokens).toBe(2);
    const wrong = { token: user.token, expect: 422 };
    await http.post("/v1/notifications/set-token", { ...wrong, body: {} });
    await http.post("/v1/notifications/set-token", { ...wrong, body: { endpoint: "file:///etc/passwd", keys: {} } });
    await http.post("/v1/notifications/set-token", { ...wrong, body: { endpoint: "https://example.com/x" } });
  });

  it("is one of at most twenty: a further one replaces the oldest", async () => {
    const user = await addUser(owner.organizationId);
    for (let n = 0; n < 20; n += 1) await setToken(user, { token: `many-${n}`, platform: "ios" });
    expect((await setToken(user, { token: "many-20", platform: "ios" })).tokens).toBe(20);
    await send("many-0", { expect: 404 });
    await send("many-20");
  });

  it("of another organization, an unknown one and one that was removed are the same 404", async () => {
    const stranger = await registerOrganization();
    const subscription = browsers.subscribe();
    const { id } = await setToken(stranger, subscription);
    await send(subscription.endpoint, { expect: 404 });
    await send(id, { expect: 404 });
    await send("nobody", { expect: 404 });
    await http.delete(`/v1/notifications/token/${id}`, { token: owner.token, expect: 404 });
    await http.delete(`/v1/notifications/token/${id}`, { token: stranger.token, expect: 204 });
    await http.delete(`/v1/notifications/token/${id}`, { token: stranger.token, expect: 404 });
  });

  it("leaves its user when another one registers it", async () => {
    const [first, second] = await Promise.all([addUser(owner.organizationId), addUser(owner.organizationId)]);
    const subscription = browsers.subscribe();
    await setToken(first, subscription);
    await setToken(second, subscription);
    const before = browsers.received.length;
    const body = [
      { title: "For the first", user_id: first.id },
      { title: "For the second", user_id: second.id },
    ];
    await http.post("/v1/notifications/dynamic", { token: owner.token, body, expect: 202 });
    await messagesAreHandled(owner);
    expect(browsers.received.slice(before)).toMatchObject([{ payload: { title: "For the second" } }]);
  });

  it("ends with its session, also for what is on its way", async () => {
    const user = await addUser(owner.organizationId);
    const subscription = browsers.subscribe();
    const again = await signIn(user.email);
    await setToken(again, subscription);
    await send(subscription.endpoint);
    await http.post("/v1/auth/logout", { token: again.token, expect: 204 });
    await send(subscription.endpoint, { expect: 404 });
  });
});

describe("Web Push", () => {
  it("is encrypted for the browser, signed by the sender, and has a topic, a time to live and an urgency", async () => {
    const subscription = browsers.subscribe();
    await setToken(owner, subscription);
    const { body } = await send(subscription.endpoint, { data: { url: "https://example.com/a", tag: "order" } });
    expect(body).toEqual({ id: expect.any(String), status: "queued" });
    await ended(body.id, "sent");
    const received = browsers.received.filter(({ path }) => subscription.endpoint.endsWith(path));
    expect(received).toMatchObject([
      {
        payload: { title: "Hello", body: "World", data: { url: "https://example.com/a", tag: "order" } },
        ttl: "86400",
        urgency: "normal",
        topic: expect.stringMatching(/^[\w-]{32}$/),
      },
    ]);
  });

  it("cuts what is larger than four kilobytes", async () => {
    const subscription = browsers.subscribe();
    await setToken(owner, subscription);
    const { body } = await send(subscription.endpoint, {
      data: { body: "ü".repeat(2_000), url: "https://e.example/x" },
    });
    await ended(body.id, "sent");
    const received = browsers.received.at(-1);
    expect(received?.bytes).toBeLessThanOrEqual(4_096);
    expect(received?.payload).toMatchObject({ title: "Hello", data: { url: "https://e.example/x" } });
  });

  it("removes a device that the service does not know any more", async () => {
    const subscription = browsers.subscribe();
    await setToken(owner, subscription);
    browsers.unsubscribe();
    const { body } = await send(subscription.endpoint);
    expect(await ended(body.id, "failed")).toMatchObject({ error: expect.stringContaining("410") });
    // The device is removed after the message has failed.
    await messagesAreHandled(owner);
    await send(subscription.endpoint, { expect: 404 });
  });

  it("waits as long as the service asks for", async () => {
    const subscription = browsers.subscribe();
    await setToken(owner, subscription);
    // No earlier message takes the answer.
    await messagesAreHandled(owner);
    browsers.failNext({ status: 429, headers: { "retry-after": "3600" } });
    const { body } = await send(subscription.endpoint);
    await vi.waitFor(async () => {
      const { status, events } = await pushOf(body.id);
      expect(status).toBe("queued");
      expect(JSON.stringify(events)).toContain("429");
    }, patience);
  });
});

describe("FCM", () => {
  it("gets messages with texts", async () => {
    await setToken(owner, { token: "phone-1", platform: "android" });
    const [first, second] = [await send("phone-1", { data: { url: "https://a.example/" } }), await send("phone-1")];
    await ended(first.body.id, "sent");
    expect(await ended(second.body.id, "sent")).toMatchObject({ vendor: "fcm" });
    const messages = phones.messages.filter(({ token }) => token === "phone-1");
    const notification = { title: "Hello", body: "World" };
    expect(messages.map((message) => message.notification)).toEqual([notification, notification]);
    expect(messages.map(({ data }) => data.url ?? "").sort()).toEqual(["", "https://a.example/"]);
  });

  it("gets several messages with one access token for the service account", async () => {
    await setToken(owner, { token: "phone-2", platform: "android" });
    // Each execution environment has a token of its own, and there may be as many as messages at one time.
    for (let count = 0; count < 10 && phones.issued.size >= phones.messages.length; count += 1) {
      await ended((await send("phone-2")).body.id, "sent");
    }
    expect(phones.issued.size).toBeLessThan(phones.messages.length);
  });

  it("removes a device that is not registered any more", async () => {
    await setToken(owner, { token: "gone-1", platform: "ios" });
    const { body } = await send("gone-1");
    expect(await ended(body.id, "failed")).toMatchObject({ error: expect.stringContaining("UNREGISTERED") });
    await messagesAreHandled(owner);
    await send("gone-1", { expect: 404 });
  });

  it("reaches phones with push_to_mobile only, and browsers with notify", async () => {
    const user = await addUser(owner.organizationId);
    const subscription = browsers.subscribe();
    await setToken(user, subscription);
    await setToken(user, { token: `both-${user.id}`, platform: "ios" });
    const common = { user_id: user.id };
    const body = [
      { title: "Browser", ...common },
      { title: "Phone", notify: false, push_to_mobile: true, ...common },
      { title: "None", notify: false, ...common },
    ];
    await http.post("/v1/notifications/dynamic", { token: owner.token, body, expect: 202 });
    await messagesAreHandled(owner);
    const toPhone = phones.messages.filter(({ token }) => token === `both-${user.id}`);
    expect(toPhone).toMatchObject([{ notification: { title: "Phone" } }]);
    expect(browsers.received.filter(({ path }) => subscription.endpoint.endsWith(path))).toMatchObject([
      { payload: { title: "Browser", data: { notification_id: expect.any(String) } } },
    ]);
  });
});

it("no record, log entry or reply shows a token of a device or a key of a vendor", async () => {
  const { body } = await http.get("/v1/object/push_message?limit=1000", { token: owner.token, expect: 200 });
  const text = JSON.stringify(body);
  for (const secret of ["phone-1", "many-20", "/push/", vapid.private_key, "BEGIN PRIVATE KEY"]) {
    expect(text).not.toContain(secret);
  }
});

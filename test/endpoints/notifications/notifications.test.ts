import { beforeAll, describe, expect, it, vi } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { recordsOf } from "../automation/triggers.ts";

let owner: User;
let member: User;
let stranger: User;

beforeAll(async () => {
  owner = await registerOrganization();
  [member, stranger] = await Promise.all([addUser(owner.organizationId), registerOrganization()]);
});

const post = async (path: string, body: unknown, { as = owner, expect: status = 202 } = {}) =>
  (await http.post(`/v1/notifications${path}`, { token: as.token, body, expect: status })).body;

const list = async (as: User, query = "") =>
  (await http.get(`/v1/notifications${query}`, { token: as.token, expect: 200 })).body;

/** Until a notification is told. */
const patience = { timeout: 120_000, interval: 100 };

describe("POST /v1/notifications/dynamic", () => {
  it("tells the caller by default, and others by their id", async () => {
    const { accepted, ids } = await post("/dynamic", [
      { title: "To me", data: { url: "https://example.com/1", order: 7 } },
      { title: "To Mia", user_id: member.id, type: "greeting" },
    ]);
    expect(accepted).toBe(2);
    expect(ids).toHaveLength(2);
    const mine = await list(owner);
    expect(mine).toMatchObject({ unread_count: 1, notifications: [{ id: ids[0], title: "To me", read: false }] });
    expect(mine.notifications[0]).toMatchObject({ url: "https://example.com/1", data: { order: 7 }, type: "dynamic" });
    expect((await list(member)).notifications).toMatchObject([{ id: ids[1], title: "To Mia", type: "greeting" }]);
  });

  it("refuses all of a request if one user is unknown, of another organization or inactive", async () => {
    const before = (await recordsOf(owner, "notification")).length;
    const body = [{ title: "a" }, { title: "b", user_id: stranger.id }];
    const { detail } = await post("/dynamic", body, { expect: 422 });
    expect(detail).toEqual([expect.objectContaining({ loc: ["body", 1, "user_id"], type: "unknown_user" })]);
    expect(await recordsOf(owner, "notification")).toHaveLength(before);
  });

  it("refuses all of a request if one role is unknown or of another organization, and takes one without users", async () => {
    const role = async ({ token }: User): Promise<string> =>
      (await http.post("/v1/object/role", { token, body: { name: "Empty" }, expect: 201 })).body.id;
    const [own, foreign] = [await role(owner), await role(stranger)];
    expect(await post("/dynamic", { title: "a", role_id: own })).toEqual({ accepted: 1, ids: [] });
    const body = [{ title: "a" }, { title: "b", role_id: foreign }, { title: "c", role_id: "none" }];
    const { detail } = await post("/dynamic", body, { expect: 422 });
    expect(detail).toEqual([
      expect.objectContaining({ loc: ["body", 1, "role_id"], type: "unknown_role", input: foreign }),
      expect.objectContaining({ loc: ["body", 2, "role_id"], type: "unknown_role", input: "none" }),
    ]);
  });

  it("refuses links that run in the page of whoever opens them", async () => {
    for (const url of ["javascript:alert(1)", " java\nscript:alert(1)", "DATA:text/html,x", "\u0001vbscript:x"]) {
      const { detail } = await post("/dynamic", { title: "a", data: { url } }, { expect: 422 });
      expect(JSON.stringify(detail)).toContain("runs nothing");
      const message = { token: "t", data: { title: "a", url } };
      expect((await post("/send", { message }, { expect: 422 })).detail).toMatchObject([
        { loc: ["body", "message", "data", "url"] },
      ]);
    }
    for (const url of ["/leads/1", "https://example.com", "acme-app://lead/1"]) {
      expect(await post("/dynamic", { title: "a", data: { url }, save: false })).toMatchObject({ accepted: 1 });
    }
  });

  it("repeats nothing under an Idempotency-Key", async () => {
    const send = () =>
      http.post("/v1/notifications/dynamic", {
        token: owner.token,
        body: { title: "Once" },
        headers: { "idempotency-key": "dynamic-1" },
        expect: 202,
      });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    const told = (await recordsOf(owner, "notification")).filter(({ title }) => title === "Once");
    expect(told).toHaveLength(1);
  });

  it("keeps no record with save: false, and says so by having no id", async () => {
    const { accepted, ids } = await post("/dynamic", { title: "Gone", save: false });
    expect([accepted, ids]).toEqual([1, []]);
  });

  it.each([
    ["a key that begins with $", { $where: 1 }],
    ["a key with a dot", { "a.b": 1 }],
    ["a nested hostile key", { a: [{ $gt: "" }] }],
    ["too much data", { a: "x".repeat(17_000) }],
  ])("refuses data with %s", async (_, data) => {
    await post("/dynamic", { title: "x", data }, { expect: 422 });
  });
});

describe("a notification for later", () => {
  it("is in the list when its time has come, and not before", async () => {
    const user = await addUser(owner.organizationId);
    const [soon, later] = [3_000, 3_600_000].map((wait) => new Date(Date.now() + wait).toISOString());
    await post("/dynamic", { title: "Later", user_id: user.id, send_at: later });
    const { ids } = await post("/dynamic", { title: "Soon", user_id: user.id, send_at: soon });
    const shown = async () => (await list(user)).notifications.map(({ id }: { id: string }) => id);
    await vi.waitFor(async () => expect(await shown()).toEqual(ids), patience);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon ?? ""));
    expect(await list(user)).toMatchObject({ notifications: [{ title: "Soon" }], unread_count: 1 });
  });
});

describe("GET /v1/notifications", () => {
  it("gives one's own in pages, newest first, with the number of unread ones", async () => {
    const user = await addUser(owner.organizationId);
    const titles = ["a", "b", "c", "d", "e"];
    const { ids } = await post(
      "/dynamic",
      titles.map((title) => ({ title, user_id: user.id })),
    );
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await list(user, `?limit=2${cursor === undefined ? "" : `&cursor=${cursor}`}`);
      expect(page.unread_count).toBe(5);
      seen.push(...page.notifications.map((one: { id: string }) => one.id));
      cursor = page.next_cursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual([...ids].reverse());
    await post("/mark-read", [ids[0], ids[1]], { as: user, expect: 200 });
    const unread = await list(user, "?unread=true");
    expect(unread).toMatchObject({ unread_count: 3 });
    expect(unread.notifications).toHaveLength(3);
    expect((await list(user, "?unread=false")).notifications).toHaveLength(2);
  });
});

describe("marking as read", () => {
  it("counts one's own unread ones only", async () => {
    const { ids } = await post("/dynamic", [{ title: "mine" }, { title: "hers", user_id: member.id }]);
    const marked = await post("/mark-read", [...ids, "no-such-id"], { expect: 200 });
    expect(marked).toEqual({ message: "1 notification is read now.", updated: 1 });
    expect((await post("/mark-read", ids, { expect: 200 })).updated).toBe(0);
    const [hers] = (await list(member)).notifications.filter(({ id }: { id: string }) => id === ids[1]);
    expect(hers.read).toBe(false);
  });

  it("by key and value matches data and record_id, in all forms of the request", async () => {
    const user = await addUser(owner.organizationId);
    await post("/dynamic", [
      { title: "1", user_id: user.id, data: { order: 7, kind: "a" } },
      { title: "2", user_id: user.id, data: { order: 8, kind: "a" } },
      { title: "3", user_id: user.id, record_id: "r-3" },
      { title: "4", user_id: user.id, data: { "order-no": "x" } },
    ]);
    const mark = async (body: unknown) =>
      (await post("/mark-read-by-key-value", body, { as: user, expect: 200 })).updated;
    expect(await mark({ key: "order", value: 7 })).toBe(1);
    expect(await mark({ order: 8, kind: "b" })).toBe(0);
    expect(await mark([{ record_id: "r-3" }, { order: 8 }])).toBe(2);
    expect(await mark({ "order-no": "x" })).toBe(1);
    expect((await list(user)).unread_count).toBe(0);
  });

  it.each([
    { $where: "sleep(1000)" },
    { "user.id": "x" },
    { key: "$ne", value: 1 },
    { key: "a.b", value: 1 },
    { order: { $gt: 0 } },
    { key: "order", value: { $ne: null } },
    JSON.parse('{"__proto__": 1}'),
    {},
    [],
  ])("by key and value refuses %j", async (body) => {
    await post("/mark-read-by-key-value", body, { expect: 422 });
  });
});

describe("preferences", () => {
  it("are none at first, and replaced as a whole", async () => {
    const user = await addUser(owner.organizationId);
    const path = "/v1/notifications/preferences";
    const none = { channels: [], muted: [], quiet_hours: null, digest_time: "08:00", time_zone: "UTC" };
    expect((await http.get(path, { token: user.token, expect: 200 })).body).toEqual(none);
    const body = {
      muted: ["spam"],
      quiet_hours: { from: "22:00", to: "06:30" },
      channels: [{ type: "*", channels: [] }],
    };
    expect((await http.put(path, { token: user.token, body, expect: 200 })).body).toEqual({ ...none, ...body });
    await http.put(path, { token: user.token, body: { quiet_hours: { from: "8", to: "9" } }, expect: 422 });
    await http.put(path, { token: user.token, body: { quiet_hours: { from: "08:00", to: "08:00" } }, expect: 422 });
    expect((await http.get(path, { token: user.token, expect: 200 })).body).toEqual({ ...none, ...body });
  });

  it("mute a type: its notifications are recorded as suppressed and not listed", async () => {
    const user = await addUser(owner.organizationId);
    const path = "/v1/notifications/preferences";
    await http.put(path, { token: user.token, body: { muted: ["spam"] }, expect: 200 });
    const { ids } = await post("/dynamic", [
      { title: "Buy", type: "spam", user_id: user.id },
      { title: "News", user_id: user.id },
    ]);
    expect(await list(user)).toMatchObject({ unread_count: 1, notifications: [{ id: ids[1] }] });
    const { body } = await http.get(`/v1/object/notification/${ids[0]}`, { token: owner.token, expect: 200 });
    expect(body).toMatchObject({ status: "suppressed" });
  });
});

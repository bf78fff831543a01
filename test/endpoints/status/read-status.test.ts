import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { beat, me, seen, set } from "./people.ts";

let mongo: MongoClient;
let owner: User;
let member: User;
let blind: User;
let gone: User;
let stranger: User;

const users = (user: User, query = {}) => http.get("/v1/status/users", { token: user.token, query });
const userRecords = (organizationId: string) => mongo.db(organizationId).collection<{ _id: string }>("user");

beforeAll(async () => {
  mongo = await databaseClient();
  [owner, stranger] = await Promise.all([registerOrganization(), registerOrganization()]);
  member = await addUser(owner.organizationId);
  blind = await addUser(owner.organizationId, { permissions: [] });
  gone = await addUser(owner.organizationId);
  await beat(gone);
  await http.patch(`/v1/object/user/${gone.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
  await beat(member, "busy");
});
afterAll(() => mongo.close());

describe("GET /v1/status/me", () => {
  it("200: is offline for a person without a heartbeat", async () => {
    expect(await me(stranger)).toEqual({
      user_id: stranger.id,
      name: "Olga Owner",
      status: "offline",
      call_status: "offline",
      manual: false,
      last_active_at: null,
      devices: [],
      availability: {},
    });
  });

  it("200: shows all callers their own, whatever their permissions", async () => {
    await set(blind, { status: "busy" });
    expect(await me(blind)).toMatchObject({ name: "Mia Member", status: "busy", availability: { status: "busy" } });
  });

  it("200: does not count as a heartbeat", async () => {
    await users(owner);
    expect(await me(owner)).toMatchObject({ status: "offline", last_active_at: null });
  });
});

describe("GET /v1/status/user/{user_id}", () => {
  it("200: shows a colleague with each present device, without its session", async () => {
    const { status, body } = await seen(owner, member.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ user_id: member.id, status: "busy", manual: false });
    expect(Object.keys(body.devices[0]).sort()).toEqual(["last_active_at", "status"]);
    expect(body.devices[0].last_active_at).toBe(body.last_active_at);
    expect((await seen(member, owner.id)).body.status).toBe("offline");
  });

  it("403: requires the right to read users, except for oneself", async () => {
    expect((await seen(blind, member.id)).status).toBe(403);
    expect((await seen(blind, "nobody")).status).toBe(403);
    expect((await seen(blind, blind.id)).status).toBe(200);
  });

  it("404: gives the same reply for unknown, deactivated and foreign users", async () => {
    const replies = await Promise.all(["nobody", gone.id, stranger.id].map((id) => seen(owner, id)));
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(replies.map(({ body }) => body.detail)).size).toBe(1);
  });
});

describe("GET /v1/status/users", () => {
  it("200: shows all active users of the organization, each as when requested alone", async () => {
    const { status, body } = await users(member);
    expect(status).toBe(200);
    expect(body.truncated).toBeUndefined();
    expect(body.users.map((user: { user_id: string }) => user.user_id)).toEqual([owner.id, member.id, blind.id].sort());
    for (const user of body.users) expect((await seen(owner, user.user_id)).body).toEqual(user);
  });

  it("200: hides what the caller's permissions exclude", async () => {
    const { body: permission } = await http.post("/v1/object/permission", {
      token: owner.token,
      body: {
        name: "Names hidden",
        object_permissions: { user: { create: false, read: true, update: false, delete: false } },
        object_field_permissions: { user: { name: { read: false }, availability: { read: false } } },
      },
      expect: 201,
    });
    const user = await addUser(owner.organizationId, { permissions: [permission.id] });
    expect((await seen(user, member.id)).body).toMatchObject({ name: null, availability: null, status: "busy" });
    expect(await me(user)).toMatchObject({ name: "Mia Member", availability: {} });
    await http.delete(`/v1/object/user/${user.id}`, { token: owner.token, expect: 200 });
  });

  it("200: continues after a user", async () => {
    const ids = [owner.id, member.id, blind.id].sort();
    const { body } = await users(owner, { after: ids[0] });
    expect(body.users.map((user: { user_id: string }) => user.user_id)).toEqual(ids.slice(1));
  });

  it("200: is truncated beyond 5 MB, says so, and can be continued to the end", async () => {
    const crowded = await registerOrganization();
    const name = "x".repeat(10_000);
    const crowd = Array.from({ length: 700 }, (_, index) => ({ _id: `u-${index}`, name, is_active: true }));
    await userRecords(crowded.organizationId).insertMany(crowd);
    const first = await users(crowded);
    expect(first.body.truncated).toBe(true);
    expect(first.text.length).toBeLessThanOrEqual(5_000_000);
    expect(first.text.length).toBeGreaterThan(4_900_000);
    const second = await users(crowded, { after: first.body.users.at(-1).user_id });
    expect(second.body.truncated).toBeUndefined();
    expect(first.body.users.length + second.body.users.length).toBe(701);
  });

  it("403: requires the right to read users", async () => {
    expect((await users(blind)).status).toBe(403);
  });
});

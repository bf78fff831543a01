import { isDeepStrictEqual } from "node:util";
import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, platformUrl, registerOrganization, signIn, type User } from "../../platform.ts";
import { claimsOf } from "../../setup/forge-token.ts";
import { beat, HEARTBEAT, me, seen, storedDevices, wait } from "./people.ts";

let mongo: MongoClient;
let owner: User;
let member: User;

beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});
afterAll(() => mongo.close());

const statusOf = async (user: User) => (await seen(owner, user.id)).body.status;
const newMember = () => addUser(owner.organizationId);

describe("POST /v1/status/v1/user/status", () => {
  it("200: sets the person's status to the device's, for 60 seconds", async () => {
    const before = Date.now();
    const { body } = await beat(member, "busy");
    expect(body).toMatchObject({ user: member.id, status: "busy" });
    expect(Date.parse(body.counts_until) - before).toBeGreaterThan(59_000);
    expect(Date.parse(body.counts_until) - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await me(member)).toMatchObject({
      status: "busy",
      call_status: "busy",
      manual: false,
      devices: [{ status: "busy" }],
    });
  });

  it("200: accepts the token in the body, as JSON or as sendBeacon's form", async () => {
    const user = await newMember();
    const { id, token } = user;
    await http.post(HEARTBEAT, { body: { user: id, status: "away", token }, expect: 200 });
    expect(await statusOf(user)).toBe("away");
    await http.post(HEARTBEAT, { form: { user: id, status: "offline", token }, expect: 200 });
    expect(await statusOf(user)).toBe("offline");
  });

  it("200: needs no preflight with a token in the body, because a closing page could not wait for it", async () => {
    const user = await newMember();
    const body = new URLSearchParams({ user: user.id, status: "online", token: user.token });
    // The request of navigator.sendBeacon with URLSearchParams, which is "simple" by its content type.
    const reply = await fetch(`${platformUrl}${HEARTBEAT}`, { method: "POST", body });
    expect(reply.status).toBe(200);
    expect(await statusOf(user)).toBe("online");
  });

  it("200: shows the person's best device, and another one when that one is offline or absent", async () => {
    const phone = await newMember();
    const laptop = await signIn(phone.email);
    await beat(phone, "away");
    await beat(laptop, "online");
    expect(await me(phone)).toMatchObject({ status: "online", devices: [{ status: "online" }, { status: "away" }] });
    await beat(laptop, "offline");
    expect(await me(phone)).toMatchObject({ status: "away", devices: [{ status: "away" }] });
    await beat(laptop, "busy");
    expect(await statusOf(phone)).toBe("busy");
    await wait(mongo, laptop, 60_000);
    expect(await statusOf(phone)).toBe("away");
    await wait(mongo, phone, 60_000);
    expect(await me(phone)).toMatchObject({ status: "offline", call_status: "offline", devices: [] });
  });

  it("200: counts for almost a minute, and again after the next heartbeat", async () => {
    const user = await newMember();
    await beat(user);
    // As long as these requests may take, less than a minute.
    await wait(mongo, user, 40_000);
    expect(await statusOf(user)).toBe("online");
    await wait(mongo, user, 20_000);
    expect(await statusOf(user)).toBe("offline");
    await beat(user);
    expect(await statusOf(user)).toBe("online");
  });

  it("200: ignores an older heartbeat that arrives late", async () => {
    const user = await newMember();
    await beat(user, "online");
    // The stored heartbeat is newer than the next one, as if that had been delayed.
    await wait(mongo, user, -50_000);
    const { body } = await beat(user, "offline");
    expect(body.status).toBe("online");
    expect(await statusOf(user)).toBe("online");
  });

  it("200: accepts many concurrent heartbeats of one device and of several", async () => {
    const user = await newMember();
    const devices = [user, await signIn(user.email), await signIn(user.email)];
    await Promise.all(Array.from({ length: 30 }, (_, index) => beat(devices[index % 3] ?? user)));
    expect((await me(user)).devices).toHaveLength(3);
  });

  it("200: deletes devices without a heartbeat for a day, but keeps the person's last one", async () => {
    const user = await newMember();
    await beat(user);
    const { last_active_at } = await me(user);
    await wait(mongo, user, 25 * 60 * 60_000);
    expect(await me(user)).toMatchObject({ status: "offline", last_active_at });
    expect(await storedDevices(mongo, user)).toHaveLength(1);
    const later = await signIn(user.email);
    await beat(later);
    const stored = await storedDevices(mongo, user);
    expect(stored).toHaveLength(1);
    expect((await me(user)).devices).toHaveLength(1);
  });

  it("200: does not end cached query results", async () => {
    const states = mongo.db(owner.organizationId).collection<{ _id: string }>("organization_state");
    const isChanged = async (): Promise<boolean> => {
      const before = await states.findOne({ _id: owner.organizationId });
      await beat(member);
      return !isDeepStrictEqual(await states.findOne({ _id: owner.organizationId }), before);
    };
    // The indexes of users, which are built after the creation of the first ones, are noted there too.
    await expect.poll(isChanged).toBe(false);
  });

  it("401: a device of an ended session is absent at once, and stays so", async () => {
    const [user, other] = await Promise.all([newMember(), newMember()]);
    await Promise.all([beat(user), beat(other)]);
    await http.post("/v1/auth/logout", { token: user.token, expect: 204 });
    expect((await seen(owner, user.id)).body).toMatchObject({ status: "offline", devices: [] });
    const { token } = await signIn(other.email);
    await http.delete(`/v1/auth/session/${claimsOf(other.token).sid}`, { token, expect: 204 });
    expect((await seen(owner, other.id)).body).toMatchObject({ status: "offline", devices: [] });
    const refused = await http.post(HEARTBEAT, { body: { user: user.id, status: "online", token: user.token } });
    expect(refused.status).toBe(401);
  });

  it("401: refuses a request without a token", async () => {
    const reply = await http.post(HEARTBEAT, { body: { user: member.id, status: "online" } });
    expect([reply.status, reply.body.code]).toEqual([401, "unauthenticated"]);
  });

  it("403: refuses a heartbeat for another user, even from an owner", async () => {
    const user = await newMember();
    const byHeader = await http.post(HEARTBEAT, { token: owner.token, body: { user: user.id, status: "online" } });
    const byBody = await http.post(HEARTBEAT, { body: { user: user.id, status: "online", token: owner.token } });
    expect([byHeader.status, byBody.status]).toEqual([403, 403]);
    expect(await statusOf(user)).toBe("offline");
  });

  it("413 and 415: refuses other bodies", async () => {
    const large = { user: member.id, status: "online", more: "x".repeat(9_000) };
    expect((await http.post(HEARTBEAT, { token: member.token, body: large })).status).toBe(413);
    const text = { raw: "online", headers: { "content-type": "text/plain" }, token: member.token };
    expect((await http.post(HEARTBEAT, text)).status).toBe(415);
  });

  it("422: names every issue, and never echoes the token", async () => {
    const reply = await http.post(HEARTBEAT, { body: { status: "sleeping", token: member.token } });
    expect(reply.status).toBe(422);
    expect(reply.body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
      ["body", "user"],
      ["body", "status"],
    ]);
    expect(reply.text).not.toContain(member.token);
  });
});

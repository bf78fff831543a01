import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { beat, me, seen, set } from "./people.ts";

let mongo: MongoClient;
let owner: User;
let member: User;

beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});
afterAll(() => mongo.close());

const newMember = () => addUser(owner.organizationId);

describe("POST /v1/status/availability", () => {
  it("200: a status that was set has priority over the devices' until it is reset", async () => {
    const user = await newMember();
    const { status, body } = await set(user, { status: "away" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ user_id: user.id, status: "away", manual: true, availability: { status: "away" } });
    await beat(user, "online");
    expect(await me(user)).toMatchObject({ status: "away", manual: true, devices: [{ status: "online" }] });
    await set(user, { status: "offline" });
    expect((await seen(owner, user.id)).body).toMatchObject({ status: "offline", manual: true });
    expect((await set(user, { reset: true })).body).toMatchObject({
      status: "online",
      manual: false,
      availability: {},
    });
  });

  it("200: changes only the settings that are sent; null removes one", async () => {
    const user = await newMember();
    await set(user, { status: "busy", call_status: "on_call", has_mobile_app: true, allow_web_calls: false });
    const { body } = await set(user, { call_status: null, allow_mobile_calls: true });
    expect(body.availability).toEqual({
      status: "busy",
      has_mobile_app: true,
      allow_web_calls: false,
      allow_mobile_calls: true,
    });
    expect(body.call_status).toBe("busy");
    expect((await set(user, {})).body.availability).toEqual(body.availability);
  });

  it("200: keeps all settings that are changed concurrently", async () => {
    const user = await newMember();
    await Promise.all([
      set(user, { available_for_mobile_calls: true }),
      set(user, { available_for_web_calls: false }),
      set(user, { status: "busy" }),
    ]);
    expect((await me(user)).availability).toEqual({
      available_for_mobile_calls: true,
      available_for_web_calls: false,
      status: "busy",
    });
  });

  it("200: `reset` removes the status, keeps phones and vacation, and precedes other settings of the request", async () => {
    const user = await newMember();
    const vacation = ["2020-01-01", "2020-01-02"];
    await set(user, { status: "busy", call_status: "busy", do_not_disturb: true, has_mobile_app: true, vacation });
    expect(await me(user)).toMatchObject({ call_status: "do_not_disturb" });
    const { body } = await set(user, { reset: true, status: "away" });
    expect(body.availability).toEqual({ status: "away", has_mobile_app: true, vacation });
    expect(body).toMatchObject({ status: "away", call_status: "away", manual: true });
    expect((await set(user, { reset: false })).body.manual).toBe(true);
  });

  it("200: a person on vacation takes no calls, without being offline", async () => {
    const user = await newMember();
    await beat(user);
    const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString();
    const on = async (vacation: string[]) => (await set(user, { vacation })).body;
    expect(await on([day(-2).slice(0, 10), day(2).slice(0, 10)])).toMatchObject({
      status: "online",
      call_status: "away",
    });
    expect(await on([day(2).slice(0, 10), day(4).slice(0, 10)])).toMatchObject({ call_status: "available" });
    expect(await on([day(-0.5), day(0.5)])).toMatchObject({ call_status: "away" });
    expect(await on([day(-2), day(-1)])).toMatchObject({ call_status: "available" });
    expect((await set(user, { vacation: null })).body.availability).toEqual({});
  });

  it("200: the settings are stored in the user record, which only this route can write them to", async () => {
    const user = await newMember();
    await set(user, { status: "busy" });
    const { body } = await http.get(`/v1/object/user/${user.id}`, { token: owner.token, expect: 200 });
    expect(body.availability).toEqual({ status: "busy" });
    expect(body.modified_by.id).toBe(user.id);
    const written = await http.patch(`/v1/object/user/${user.id}`, {
      token: owner.token,
      body: { availability: { status: "online" } },
    });
    expect(written.status).toBe(403);
    expect((await me(user)).status).toBe("busy");
  });

  it("200: ignores invalid settings that an import has written there", async () => {
    const user = await newMember();
    const availability = { status: "asleep", call_status: "busy", do_not_disturb: null, other: 1 };
    await mongo
      .db(owner.organizationId)
      .collection<{ _id: string }>("user")
      .updateOne({ _id: user.id }, { $set: { availability } });
    expect(await me(user)).toMatchObject({ status: "offline", manual: false, availability: { call_status: "busy" } });
  });

  it("200: lets an administrator set somebody else's", async () => {
    const user = await newMember();
    const admin = await addUser(owner.organizationId, { isAccountAdmin: true });
    const { body } = await set(admin, { user_id: user.id, status: "busy" });
    expect(body).toMatchObject({ user_id: user.id, status: "busy" });
    expect(await me(user)).toMatchObject({ status: "busy" });
    expect(await me(admin)).toMatchObject({ status: "offline", manual: false });
  });

  it("403: lets a plain user set only their own, whether or not the other user exists", async () => {
    const refused = await set(member, { user_id: owner.id, status: "away" });
    const unknown = await set(member, { user_id: "nobody", status: "away" });
    expect([refused.status, unknown.status]).toEqual([403, 403]);
    expect(await me(owner)).toMatchObject({ manual: false });
    expect((await set(member, { user_id: member.id, status: "away" })).status).toBe(200);
  });

  it("404: for an unknown, deactivated or foreign user", async () => {
    const [stranger, gone] = await Promise.all([registerOrganization(), newMember()]);
    await http.patch(`/v1/object/user/${gone.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    for (const user_id of ["nobody", stranger.id, gone.id]) {
      expect((await set(owner, { user_id, status: "away" })).status).toBe(404);
      expect((await set(owner, { user_id })).status).toBe(404);
    }
    expect(await me(stranger)).toMatchObject({ manual: false });
  });

  it.each([
    ["a vacation that ends before it begins", { vacation: ["2026-08-02", "2026-08-01"] }, "vacation"],
    ["one that does so by an hour", { vacation: ["2026-08-02T10:00:00Z", "2026-08-02T09:00:00Z"] }, "vacation"],
    ["a vacation without an end", { vacation: ["2026-08-02"] }, "vacation"],
    ["a day that does not exist", { vacation: ["2026-02-30", "2026-03-01"] }, "vacation"],
    ["an unknown status", { status: "asleep" }, "status"],
    ["an unknown setting", { stauts: "busy" }, "stauts"],
    ["a flag that is none", { do_not_disturb: "yes" }, "do_not_disturb"],
  ])("422: refuses %s", async (_, body, field) => {
    const reply = await set(member, body);
    expect(reply.status).toBe(422);
    expect(reply.body.detail[0].loc.slice(0, 2)).toEqual(["body", field]);
  });

  it("200: accepts a vacation of one day, and one from a day to a time on it", async () => {
    expect((await set(member, { vacation: ["2026-08-02", "2026-08-02"] })).status).toBe(200);
    expect((await set(member, { vacation: ["2026-08-02", "2026-08-02T12:00:00+02:00"] })).status).toBe(200);
  });
});

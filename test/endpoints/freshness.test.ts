import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, type HttpReply, http, registerOrganization, type User } from "../platform.ts";

/** Enough concurrent requests that several execution environments answer, each with its own caches. */
const ENVIRONMENTS = 8;

const everywhere = (send: () => Promise<HttpReply>): Promise<HttpReply[]> =>
  Promise.all(Array.from({ length: ENVIRONMENTS }, send));

const statuses = async (send: () => Promise<HttpReply>): Promise<number[]> => [
  ...new Set((await everywhere(send)).map(({ status }) => status)),
];

let mongo: MongoClient;
let owner: User;

beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
  await http.post("/v1/object/lead", { token: owner.token, body: { name: "First" }, expect: 201 });
});
afterAll(() => mongo.close());

const readLeads = (user: User) => () => http.get("/v1/object/lead", { token: user.token });

describe("a change takes effect from the next request on in every execution environment", () => {
  it("for a logout", async () => {
    const user = await addUser(owner.organizationId);
    expect(await statuses(readLeads(user))).toEqual([200]);
    await http.post("/v1/auth/logout", { token: user.token, expect: 204 });
    expect(await statuses(readLeads(user))).toEqual([401]);
  });

  it("for a permission that a user loses", async () => {
    const user = await addUser(owner.organizationId);
    expect(await statuses(readLeads(user))).toEqual([200]);
    await http.patch(`/v1/object/user/${user.id}`, { token: owner.token, body: { permissions: [] }, expect: 200 });
    expect(await statuses(readLeads(user))).toEqual([403]);
  });

  it("for an administrator who loses the role", async () => {
    const user = await addUser(owner.organizationId, { isAccountAdmin: true, permissions: [] });
    expect(await statuses(readLeads(user))).toEqual([200]);
    await http.patch(`/v1/object/user/${user.id}`, {
      token: owner.token,
      body: { is_account_admin: false },
      expect: 200,
    });
    expect(await statuses(readLeads(user))).toEqual([403]);
  });

  it("for a changed permission record", async () => {
    const made = await http.post("/v1/object/permission", {
      token: owner.token,
      body: { name: "Readers", object_permissions: { lead: { read: true } } },
      expect: 201,
    });
    const user = await addUser(owner.organizationId, { permissions: [made.body.id] });
    expect(await statuses(readLeads(user))).toEqual([200]);
    await http.patch(`/v1/object/permission/${made.body.id}`, {
      token: owner.token,
      body: { object_permissions: { lead: { read: false } } },
      expect: 200,
    });
    expect(await statuses(readLeads(user))).toEqual([403]);
  });

  it("for a deactivated user", async () => {
    const user = await addUser(owner.organizationId);
    expect(await statuses(readLeads(user))).toEqual([200]);
    await http.patch(`/v1/object/user/${user.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    expect(await statuses(readLeads(user))).toEqual([401]);
  });

  it("for a field that is added to an object", async () => {
    const write = () => http.post("/v1/object/note", { token: owner.token, body: { name: "n", mood: "calm" } });
    expect(await statuses(write)).toEqual([422]);
    const field = { object_id: "note", name: "Mood", type: "string" };
    await http.post("/v1/schema/field", { token: owner.token, body: field, expect: 200 });
    expect(await statuses(write)).toEqual([201]);
    const query = () => http.get("/v1/query", { token: owner.token, query: { q: "SELECT mood FROM note LIMIT 1" } });
    const replies = await everywhere(query);
    expect(replies.map(({ body }) => body.records[0])).toEqual(replies.map(() => ({ mood: "calm" })));
  });

  it("for a suspended organization", async () => {
    const other = await registerOrganization();
    expect(await statuses(readLeads(other))).toEqual([200]);
    await mongo
      .db(other.organizationId)
      .collection("organization_state")
      .updateOne({}, { $set: { status: "suspended" } });
    const replies = await everywhere(readLeads(other));
    expect(replies.map(({ body }) => body.code)).toEqual(replies.map(() => "organization_suspended"));
  });
});

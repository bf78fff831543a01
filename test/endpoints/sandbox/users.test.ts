import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

const steps = sandboxSteps(http);

type Stored = Document & { _id: string };

let owner: User;
let mongo: MongoClient;
let sandbox: { id: string; name: string };

const call = (users: unknown) => http.post("/v1/sandbox/people/users", { token: owner.token, body: { users } });

const entriesOf = async (userId: string) => {
  const identity = await mongo.db("base").collection<Stored>("user").findOne({ _id: userId });
  const user = await mongo.db(owner.organizationId).collection<Stored>("user").findOne({ _id: userId });
  const idsIn = (list: { id: string }[] = []) => list.map(({ id }) => id).filter((id) => id !== owner.organizationId);
  return { base: idsIn(identity?.organizations), production: idsIn(user?.organizations) };
};

const inside = (token: string): Promise<string> => steps.enter(token, sandbox.id);

beforeAll(async () => {
  owner = await registerOrganization("People");
  mongo = await databaseClient();
  const { id, name } = await steps.create(owner.token, "people");
  sandbox = { id, name };
});
afterAll(() => mongo.close());

describe("letting users into a sandbox", () => {
  test("takes ids and emails as texts and as objects, mixed in one list", async () => {
    const people: User[] = [];
    for (let index = 0; index < 5; index += 1) people.push(await addUser(owner.organizationId));
    const [a, b, c, d, e] = people as [User, User, User, User, User];
    const one = await call(a.id);
    expect(one.body).toEqual({ sandbox_name: "people", added_users: [a.email], not_found: [] });
    const many = await call([
      b.email.toUpperCase(),
      { id: c.id },
      { user_id: d.id },
      { email: e.email },
      a.id,
      "nobody",
    ]);
    expect(many.status).toBe(200);
    expect(many.body.added_users.toSorted()).toEqual([b.email, c.email, d.email, e.email].toSorted());
    expect(many.body.not_found).toEqual(["nobody"]);
    for (const { id } of people) expect(await entriesOf(id)).toEqual({ base: [sandbox.id], production: [sandbox.id] });
    const { body: shown } = await http.get("/v1/sandbox/people", { token: owner.token, expect: 200 });
    expect(shown.users).toBe(6);
  });

  test("gives them their production permissions and nothing of the production organization", async () => {
    const member = await addUser(owner.organizationId);
    await call({ email: member.email });
    const token = await inside(member.token);
    await http.post("/v1/object/lead", { token, body: { name: "In the sandbox" }, expect: 201 });
    await http.post("/v1/schema", { token, body: { name: "Not allowed" }, expect: 403 });
    const { body } = await http.get("/v1/auth/load", { token, expect: 200 });
    expect(body.user).toMatchObject({ organization_id: sandbox.id, organization_name: "People (Sandbox: people)" });
    const { body: leads } = await http.get("/v1/object/lead", { token: member.token, expect: 200 });
    expect(leads).toEqual([]);
  });

  test("refuses a selector that names nobody, an inactive user, or a user of another organization", async () => {
    const stranger = await registerOrganization();
    const inactive = await addUser(owner.organizationId);
    await http.patch(`/v1/object/user/${inactive.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    for (const selector of ["nobody@example.test", stranger.email, stranger.id, inactive.id]) {
      expect((await call(selector)).body).toMatchObject({ code: "record_not_found" });
    }
  });

  test.each([[undefined], [[]], [7], [{}], [{ name: "x" }], [[["nested"]]], [""], [null]])(
    "refuses %j as a selector",
    async (users) => {
      expect((await call(users)).status).toBe(422);
    },
  );

  test("refuses more than 500 selectors", async () => {
    expect((await call(Array(501).fill("x"))).status).toBe(422);
  });
});

describe("taking users out of a sandbox", () => {
  test("ends their access there and takes it out of their lists", async () => {
    const member = await addUser(owner.organizationId);
    await call(member.id);
    const token = await inside(member.token);
    const gone = await http.delete(`/v1/sandbox/people/users/${member.id},nobody`, { token: owner.token });
    expect([gone.status, gone.text]).toEqual([204, ""]);
    await http.get("/v1/object/lead", { token, expect: 401 });
    await http.post("/v1/auth/switch", { token: member.token, body: { id: sandbox.id }, expect: 403 });
    await http.get("/v1/object/lead", { token: member.token, expect: 200 });
    expect(await entriesOf(member.id)).toEqual({ base: [], production: [] });
  });

  test("a token from before does not work again when they are let in again", async () => {
    const member = await addUser(owner.organizationId);
    await call(member.id);
    const token = await inside(member.token);
    await http.delete(`/v1/sandbox/people/users/${member.id}`, { token: owner.token, expect: 204 });
    await call(member.id);
    await http.get("/v1/object/lead", { token, expect: 401 });
    await http.get("/v1/object/lead", { token: await inside(member.token), expect: 200 });
  });

  test("refuses ids of which none is a user of the sandbox", async () => {
    await http.delete("/v1/sandbox/people/users/nobody", { token: owner.token, expect: 404 });
  });
});

test("a user who is deactivated in production has no access to its sandboxes from that moment on", async () => {
  const member = await addUser(owner.organizationId, { isAccountAdmin: true });
  await call(member.id);
  const token = await inside(member.token);
  await http.get("/v1/object/lead", { token, expect: 200 });
  await http.patch(`/v1/object/user/${member.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
  await http.get("/v1/object/lead", { token, expect: 401 });
  const { body } = await http.post("/v1/oauth2/login", { form: { username: member.email, password: member.password } });
  expect(body.access_token).toBeUndefined();
});

describe("who may manage sandboxes", () => {
  test("administrators of the production organization; members see the list", async () => {
    const { token } = await addUser(owner.organizationId);
    const { body } = await http.get("/v1/sandbox", { token, expect: 200 });
    expect(body).toHaveLength(1);
    await http.post("/v1/sandbox", { token, body: { name: "mine" }, expect: 403 });
    await http.post("/v1/sandbox/people/refresh", { token, body: {}, expect: 403 });
    await http.delete("/v1/sandbox/people", { token, expect: 403 });
    await http.post("/v1/sandbox/people/users", { token, body: { users: "x" }, expect: 403 });
  });

  /** Every route for one sandbox, and creating another one. */
  const management = [
    ["GET", "/v1/sandbox/people"],
    ["GET", "/v1/sandbox/people/diff"],
    ["PATCH", "/v1/sandbox/people", { description: "x" }],
    ["POST", "/v1/sandbox/people/refresh", {}],
    ["POST", "/v1/sandbox/people/users", { users: "x" }],
    ["POST", "/v1/sandbox/people/app/x/push/y", {}],
    ["DELETE", "/v1/sandbox/people/users/x"],
    ["DELETE", "/v1/sandbox/people"],
  ] as const;
  const statusesOf = (token: string) =>
    Promise.all(
      management.map(
        async ([method, path, body]) => (await http.send(method, path, { token, ...(body && { body }) })).status,
      ),
    );

  test("nobody from inside a sandbox", async () => {
    const token = await inside(owner.token);
    await http.get("/v1/sandbox", { token, expect: 403 });
    await http.post("/v1/sandbox", { token, body: { name: "nested" }, expect: 403 });
    expect(await statusesOf(token)).toEqual(management.map(() => 403));
  });

  test("nobody of another organization, for whom it does not exist", async () => {
    const { token } = await registerOrganization();
    expect((await http.get("/v1/sandbox", { token, expect: 200 })).body).toEqual([]);
    expect(await statusesOf(token)).toEqual(management.map(() => 404));
  });
});

test("the generic record routes refuse sandboxes with every method", async () => {
  const { token } = owner;
  for (const [method, path, body] of [
    ["GET", "/v1/object/sandbox"],
    ["GET", "/v1/object/sandbox/x"],
    ["POST", "/v1/object/sandbox", { name: "x" }],
    ["PATCH", "/v1/object/sandbox", { id: "x" }],
    ["PATCH", "/v1/object/sandbox/x", { name: "x" }],
    ["DELETE", "/v1/object/sandbox/x"],
    ["DELETE", "/v1/object/sandbox?ids=x"],
  ] as const) {
    const { status } = await http.send(method, path, { token, ...(body && { body }) });
    expect([method, path, status]).toEqual([method, path, 400]);
  }
});

test("description and schedules are changed by administrators, and kept by a refresh", async () => {
  const { token } = owner;
  const { body } = await http.patch("/v1/sandbox/people", {
    token,
    body: { description: "# New", enable_schedules: true },
    expect: 200,
  });
  expect(body).toMatchObject({ description: "# New", enable_schedules: true });
  await steps.refresh(token, "people");
  const { body: after } = await http.get("/v1/sandbox/people", { token, expect: 200 });
  expect(after).toMatchObject({ description: "# New", enable_schedules: true });
  const { body: loaded } = await http.get("/v1/auth/load", { token, expect: 200 });
  expect(loaded.organizations[1]).toEqual({ ...sandbox, description: "# New" });
  const state = await mongo.db(sandbox.id).collection<Stored>("organization_state").findOne({ _id: sandbox.id });
  expect(state?.enable_schedules).toBe(true);
});

test("a refresh keeps users who are active in the parent, adds its administrators, and lets the others go", async () => {
  const [stays, leaves, admin] = [
    await addUser(owner.organizationId),
    await addUser(owner.organizationId),
    await addUser(owner.organizationId, { isAccountAdmin: true }),
  ];
  expect((await call([stays.id, leaves.id])).body).toMatchObject({ not_found: [] });
  const [staying, leaving] = [await inside(stays.token), await inside(leaves.token)];
  await http.patch(`/v1/object/user/${leaves.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
  await steps.refresh(owner.token, "people");
  await http.get("/v1/object/lead", { token: staying, expect: 200 });
  await http.get("/v1/object/lead", { token: leaving, expect: 401 });
  await http.get("/v1/object/lead", { token: await inside(admin.token), expect: 200 });
  expect(await entriesOf(leaves.id)).toEqual({ base: [], production: [] });
  expect(await entriesOf(admin.id)).toEqual({ base: [sandbox.id], production: [sandbox.id] });
});

import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { expr, inRow, node, saveAutomation } from "../../setup/automations.ts";

let owner: User;
let member: User;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});

const path = (automation: string, organization = owner.organizationId) =>
  `/v1/public/automation/${organization}/${automation}`;

const publish = (drawing: ReturnType<typeof inRow>, fields: Record<string, unknown> = {}) =>
  saveAutomation(owner, drawing, { public: true, run_as: member.id, ...fields });

describe("POST /v1/public/automation/{org_id}/{automation_id}: 200", () => {
  it("runs as its run_as user, with the body as inputs.body", async () => {
    const nodes = [node("made", "create_record", { object: "lead", values: { name: expr("inputs.body.name") } })];
    const id = await publish(inRow(nodes, { by: expr("user.id"), owner: expr("nodes.made.owner.id") }));
    const { body } = await http.post(path(id), { body: { name: "From the website" }, expect: 200 });
    expect(body).toEqual({ by: member.id, owner: member.id });
  });

  it("runs without a body", async () => {
    const id = await publish(inRow([], expr("inputs.body == null")));
    expect((await http.post(path(id), { expect: 200 })).body).toBe(true);
  });

  it("never acts as an owner, although the owner is its user", async () => {
    const id = await publish(inRow([], { owner: expr("user.is_account_owner"), admin: expr("user.is_admin") }), {
      run_as: owner.id,
    });
    expect((await http.post(path(id), { expect: 200 })).body).toEqual({ owner: false, admin: true });
  });

  it("tells strangers nothing of a failure", async () => {
    const id = await publish(inRow([node("bad", "query", { sql: "SELECT secret_thing FROM lead" })]));
    const reply = await http.post(path(id), { expect: 200 });
    expect(reply.body).toEqual({ status: "error", message: "The automation failed.", error_type: "automation_failed" });
  });

  it("runs once for one Idempotency-Key", async () => {
    const nodes = [node("made", "create_record", { object: "lead", values: { name: "Once publicly" } })];
    const id = await publish(inRow(nodes, expr("nodes.made.id")));
    const headers = { "idempotency-key": `public-${id}` };
    const first = await http.post(path(id), { headers, body: { a: 1 }, expect: 200 });
    const second = await http.post(path(id), { headers, body: { a: 1 }, expect: 200 });
    expect(second.body).toBe(first.body);
    await http.post(path(id), { headers, body: { a: 2 }, expect: 422 });
    const all = await Promise.all(
      Array.from({ length: 5 }, () => http.post(path(id), { headers: { "idempotency-key": `many-${id}` } })),
    );
    const ids = new Set(all.filter(({ status }) => status === 200).map(({ body }) => body));
    expect(ids.size).toBe(1);
    expect(all.every(({ status }) => status === 200 || status === 409)).toBe(true);
  });
});

describe("POST /v1/public/automation/{org_id}/{automation_id}: the same 404", () => {
  it("for what is unknown, private, inactive or of another organization", async () => {
    const other = await registerOrganization();
    const [hidden, inactive, open] = await Promise.all([
      saveAutomation(owner, inRow([])),
      publish(inRow([]), { active: false }),
      publish(inRow([])),
    ]);
    const paths = [
      path("nothing"),
      path(hidden),
      path(inactive),
      path(open, other.organizationId),
      path(open, "org_0000000000000000"),
      path(open, "base"),
    ];
    for (const each of paths) {
      const { body } = await http.post(each, { expect: 404 });
      expect(body).toMatchObject({ code: "automation_not_found", detail: expect.any(String) });
    }
  });

  it("after the same time, whether or not the organization exists", async () => {
    const hidden = await saveAutomation(owner, inRow([]));
    const time = async (each: string): Promise<number> => {
      const start = performance.now();
      await http.post(each, { expect: 404 });
      return performance.now() - start;
    };
    await time(path(hidden));
    for (const each of [path(hidden), path(hidden, "org_0000000000000000"), path("nothing")]) {
      expect(await time(each)).toBeGreaterThan(145);
    }
  });

  it("for a user who is not active, and for an author who is no administrator any more", async () => {
    const [helper, admin] = await Promise.all([
      addUser(owner.organizationId),
      addUser(owner.organizationId, { isAccountAdmin: true }),
    ]);
    const ofHelper = await publish(inRow([]), { run_as: helper.id });
    const ofAdmin = await saveAutomation(admin, inRow([]), { public: true, run_as: member.id });
    await http.post(path(ofHelper), { expect: 200 });
    await http.post(path(ofAdmin), { expect: 200 });
    await http.patch(`/v1/object/user/${helper.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    await http.patch(`/v1/object/user/${admin.id}`, {
      token: owner.token,
      body: { is_account_admin: false },
      expect: 200,
    });
    await http.post(path(ofHelper), { expect: 404 });
    await http.post(path(ofAdmin), { expect: 404 });
  });
});

describe("POST /v1/public/automation/{org_id}/{automation_id} is refused", () => {
  it("for a body of more than 64 KiB, and for one that is not JSON", async () => {
    const id = await publish(inRow([]));
    await http.post(path(id), { body: "x".repeat(70_000), expect: 413 });
    await http.post(path(id), { raw: "{", headers: { "content-type": "application/json" }, expect: 422 });
  });

  it("after 60 requests of one address in a minute", async () => {
    const id = await publish(inRow([]));
    const another = await publish(inRow([]));
    const client = await databaseClient();
    try {
      const counters = client.db("base").collection("public_run");
      const before = await counters.find().toArray();
      await http.post(path(id), { expect: 200 });
      const [own] = (await counters.find().toArray()).filter(
        (one) => one.count === 1 && !before.some(({ _id }) => String(_id) === String(one._id)),
      );
      await counters.updateOne({ _id: own!._id }, { $set: { count: 60 } });
      const { headers, body } = await http.post(path(id), { expect: 429 });
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(body.code).toBe("too_many_attempts");
      await http.post(path(another), { expect: 200 });
    } finally {
      await client.close();
    }
  });
});

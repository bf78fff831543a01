import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { expr, inRow, node, run, saveAutomation } from "../../setup/automations.ts";
import { addFunction, leadsNamed as leads, UNTIL_REFUSED } from "./functions.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const execution = async (id: string | null, user: Pick<User, "token"> = owner) =>
  (await http.get(`/v1/automation/executions/${id}`, { token: user.token, expect: 200 })).body;

const ended = async (id: string | null) => {
  const isOpen = async () => ["running", "waiting"].includes((await execution(id)).status);
  await expect.poll(isOpen, { timeout: 240_000, interval: 200 }).toBe(false);
  return execution(id);
};

const WAIT = { expect: 202 };

/** Delivers a schedule as Scheduler does, which may be more than once. */
const deliver = (id: string | null, revision = 1) =>
  invokeOperation<{ outcome: string }>("run-scheduled", {
    organization: owner.organizationId,
    kind: "automation",
    id,
    revision: String(revision),
    scheduled_time: new Date().toISOString(),
  });

const made = (name: string) => node("made", "create_record", { object: "lead", values: { name } });

const leadsNamed = (name: string): Promise<number> => leads(owner, name);

describe("a delay", () => {
  it("answers 202, and the run goes on by itself with everything that it knew", async () => {
    const nodes = [
      node("set", "assign", { values: { kept: expr("inputs.kept") } }),
      node("wait", "delay", { seconds: 1 }),
      made("After a delay"),
    ];
    const id = await saveAutomation(owner, inRow(nodes, { kept: expr("vars.kept"), name: expr("nodes.made.name") }));
    const reply = await run(owner, id, { kept: { deep: [1] } }, WAIT);
    const executionId = reply.headers.get("x-execution-id");
    expect(reply.body).toEqual({ execution_id: executionId, status: "waiting", resume_at: expect.any(String) });
    const done = await ended(executionId);
    expect(done).toMatchObject({ status: "completed", output: { kept: { deep: [1] }, name: "After a delay" } });
    expect(done.lines.map((line: { node: string; status: string }) => `${line.node} ${line.status}`)).toEqual([
      "start completed",
      "set completed",
      "wait waiting",
      "made completed",
      "end completed",
    ]);
  });

  it("in a loop delays each item", async () => {
    const drawing = {
      nodes: [
        node("start", "trigger", { kind: "manual", variables: { seen: "" } }),
        node("each_one", "loop", { items: ["a", "b"], limit: 2 }),
        node("wait", "delay", { seconds: 1 }),
        node("add", "assign", { values: { seen: expr("vars.seen + item") } }),
        node("end", "return", { value: expr("vars.seen") }),
      ],
      edges: [
        { from: "start", to: "each_one" },
        { from: "each_one", to: "wait", when: "each" },
        { from: "wait", to: "add" },
        { from: "add", to: "each_one" },
        { from: "each_one", to: "end", when: "done" },
      ],
    };
    const id = await saveAutomation(owner, drawing);
    const reply = await run(owner, id, {}, WAIT);
    expect(await ended(reply.headers.get("x-execution-id"))).toMatchObject({ status: "completed", output: "ab" });
  });

  it("that has passed already delays nothing", async () => {
    const id = await saveAutomation(
      owner,
      inRow([node("wait", "delay", { until: "2020-01-01T00:00:00Z" })], "at once"),
    );
    expect((await run(owner, id)).body).toBe("at once");
  });

  it("that is no time fails its node", async () => {
    const id = await saveAutomation(owner, inRow([node("wait", "delay", { seconds: expr("inputs.seconds") })]));
    for (const seconds of [-1, "x", null]) {
      expect((await run(owner, id, { seconds })).body).toMatchObject({ status: "error", error_type: "delay" });
    }
    expect((await run(owner, id, { seconds: 1e9 })).body).toMatchObject({ status: "error", error_type: "limit" });
  });

  it("gives a repetition with the same Idempotency-Key the same answer", async () => {
    const id = await saveAutomation(owner, inRow([node("wait", "delay", { seconds: 3_600 })]));
    const options = { expect: 202, headers: { "idempotency-key": `wait-${id}` } };
    const first = await run(owner, id, {}, options);
    const second = await run(owner, id, {}, options);
    expect(second.body).toEqual(first.body);
  });
});

describe("a run that waits", () => {
  const waiting = async (name: string, fields: Record<string, unknown> = {}) => {
    const automation = await saveAutomation(
      owner,
      inRow([node("wait", "delay", { seconds: 3_600 }), made(name)], name),
      fields,
    );
    const reply = await run(owner, automation, {}, WAIT);
    return { automation, id: reply.headers.get("x-execution-id") };
  };

  it("is shown as waiting", async () => {
    const { id } = await waiting("Shown");
    expect(await execution(id)).toMatchObject({ id, kind: "automation", status: "waiting", output: null });
  });

  it("goes on once, however often its schedule is delivered", async () => {
    const { id } = await waiting("Exactly once");
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => deliver(id)));
    outcomes.push(await deliver(id), await deliver(id, 2), await deliver(id, 0));
    expect(outcomes.filter(({ outcome }) => outcome === "completed")).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === "dropped")).toHaveLength(8);
    expect(await leadsNamed("Exactly once")).toBe(1);
    expect(await execution(id)).toMatchObject({ status: "completed", output: "Exactly once" });
  });

  it("is cancelled when its automation is not active any more", async () => {
    const { automation, id } = await waiting("Cancelled");
    await http.patch(`/v1/object/automation/${automation}`, {
      token: owner.token,
      body: { active: false },
      expect: 200,
    });
    await deliver(id);
    expect(await execution(id)).toMatchObject({ status: "failed", error: { kind: "cancelled" } });
    expect(await leadsNamed("Cancelled")).toBe(0);
  });

  it("goes on with the nodes that it began with, although the automation was changed", async () => {
    const { automation, id } = await waiting("As it began");
    const body = inRow([], "changed");
    await http.patch(`/v1/object/automation/${automation}`, { token: owner.token, body, expect: 200 });
    await deliver(id);
    expect(await execution(id)).toMatchObject({ status: "completed", output: "As it began" });
    expect((await run(owner, automation)).body).toBe("changed");
  });

  it("fails for a user who is not active any more", async () => {
    const body = {
      name: "Runs",
      object_permissions: { automation: { read: true }, lead: { read: true, create: true } },
    };
    const permission = await http.post("/v1/object/permission", { token: owner.token, body, expect: 201 });
    const runner = await addUser(owner.organizationId, { permissions: [permission.body.id] });
    const automation = await saveAutomation(owner, inRow([node("wait", "delay", { seconds: 3_600 }), made("Gone")]));
    const id = (await run(runner, automation, {}, WAIT)).headers.get("x-execution-id");
    await http.patch(`/v1/object/user/${runner.id}`, { token: owner.token, body: { is_active: false }, expect: 200 });
    await deliver(id);
    expect(await execution(id)).toMatchObject({ status: "failed", error: { type: "forbidden" } });
    expect(await leadsNamed("Gone")).toBe(0);
  });

  it("goes on although its schedule was lost", async () => {
    const { id } = await waiting("Lost");
    const client = await databaseClient();
    try {
      const executions = client.db(owner.organizationId).collection<{ _id: string | null }>("function_execution");
      const late = { "waiting.resume_at": new Date(Date.now() - 3_600_000) };
      expect((await executions.updateOne({ _id: id }, { $set: late })).matchedCount).toBe(1);
    } finally {
      await client.close();
    }
    await invokeOperation("reconcile-schedules", {});
    expect(await ended(id)).toMatchObject({ status: "completed", output: "Lost" });
  });
});

describe("a run whose process is gone", () => {
  it("is failed at the node where it stopped, and not run again", async () => {
    const name = await addFunction(owner, `${UNTIL_REFUSED}return 1`);
    const nodes = [
      made("Interrupted once"),
      node("slow", "function", { function_name: name }),
      node("after", "create_record", { object: "lead", values: { name: "After the interruption" } }),
    ];
    const automation = await saveAutomation(owner, inRow(nodes));
    const running = run(owner, automation);
    const client = await databaseClient();
    let id: string | null = null;
    try {
      const executions = client
        .db(owner.organizationId)
        .collection<{ _id: string; kind: string }>("function_execution");
      // As after the death of the process: its lease runs out.
      const expire = async (): Promise<string | null> => {
        const found = await executions.findOneAndUpdate(
          { kind: "automation", status: "running", "related_to.id": automation, "progress.node": "slow" },
          { $set: { lease_until: new Date(Date.now() - 1_000) } },
        );
        id = found?._id ?? null;
        return id;
      };
      await expect.poll(expire).not.toBeNull();
    } finally {
      await client.close();
    }
    await invokeOperation("reconcile-executions", {});
    const failed = await execution(id);
    expect(failed).toMatchObject({ status: "failed", error: { kind: "interrupted" } });
    expect(failed.error.message).toContain('"slow"');
    expect(failed.lines.map((line: { node: string }) => line.node)).toEqual(["start", "made"]);
    // Whoever ran it finds that it was ended, and does nothing more.
    expect((await running).body).toMatchObject({ status: "error" });
    expect(await leadsNamed("Interrupted once")).toBe(1);
    expect(await leadsNamed("After the interruption")).toBe(0);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { expr, inRow, node, saveAutomation } from "../../setup/automations.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";

let owner: User;
let member: User;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});

const started = (object: string, ...events: string[]) => ({ kind: "record", object, events });

interface LogRecord {
  readonly id: string;
  readonly status: string;
  readonly message: string | null;
  readonly place: string;
  readonly output: unknown;
  readonly created_by: { readonly id: string };
}

/** The runs of an automation in the order of their ends, when none is on its way. */
const runsOf = async (automation: string): Promise<LogRecord[]> => {
  await messagesAreHandled(owner);
  const options = { token: owner.token, expect: 200, query: { limit: 1000, order_by: "created_date" } };
  const { body } = await http.get("/v1/object/log", options);
  return body.filter((one: { related_to: { id: string } | null }) => one.related_to?.id === automation);
};

describe("an automation that records start", () => {
  it("runs for created, updated and deleted records, in the name of who wrote them", async () => {
    const value = {
      event: expr("inputs.event"),
      user: expr("user.id"),
      new: expr("inputs.records.map(r, r.record.name)"),
      old: expr("inputs.records[0].old.name"),
    };
    const drawing = inRow([], value, started("lead", "after_create", "after_update", "after_delete"));
    const id = await saveAutomation(owner, drawing);
    const lead = (await http.post("/v1/object/lead", { token: member.token, body: { name: "First" }, expect: 201 }))
      .body;
    await messagesAreHandled(owner);
    await http.patch(`/v1/object/lead/${lead.id}`, { token: owner.token, body: { name: "Second" }, expect: 200 });
    await messagesAreHandled(owner);
    await http.delete(`/v1/object/lead/${lead.id}`, { token: owner.token, expect: 200 });
    const runs = await runsOf(id);
    const outputs = runs.map(({ output, place, status }) => ({ output, place, status }));
    const common = { place: "trigger", status: "completed" };
    expect(outputs).toEqual([
      { ...common, output: { event: "after_create", user: member.id, new: ["First"], old: null } },
      { ...common, output: { event: "after_update", user: owner.id, new: ["Second"], old: "First" } },
      { ...common, output: { event: "after_delete", user: owner.id, new: null, old: "Second" } },
    ]);
  });

  it("runs once for a batch", async () => {
    const id = await saveAutomation(owner, inRow([], expr("size(inputs.records)"), started("company", "after_create")));
    const batch = Array.from({ length: 20 }, (_, index) => ({ name: `Company ${index}` }));
    await http.post("/v1/object/company", { token: owner.token, body: batch, expect: 201 });
    expect((await runsOf(id)).map(({ output }) => output)).toEqual([20]);
  });

  it("does not run for a write that was refused, for other objects, and when it is not active", async () => {
    const nodes = [node("made", "create_record", { object: "task", values: { name: "Made" } })];
    const id = await saveAutomation(owner, inRow(nodes, "ran", started("contact", "after_create")), { active: false });
    await http.post("/v1/object/contact", { token: owner.token, body: { name: "Ada" }, expect: 201 });
    await http.patch(`/v1/object/automation/${id}`, { token: owner.token, body: { active: true }, expect: 200 });
    await http.post("/v1/object/contact", { token: owner.token, body: { email: "nobody" }, expect: 422 });
    await http.post("/v1/object/contact", { token: owner.token, body: { name: "Bob" }, expect: 201 });
    expect(await runsOf(id)).toHaveLength(1);
  });

  it("ends at the depth limit when it starts itself again", async () => {
    const nodes = [node("made", "create_record", { object: "task", values: { name: "Again" } })];
    const id = await saveAutomation(owner, inRow(nodes, null, started("task", "after_create")), { name: "Endless" });
    await http.post("/v1/object/task", { token: owner.token, body: { name: "First" }, expect: 201 });
    // Each run sets off the next one before its own end.
    const runs = (await runsOf(id)).toSorted((a, b) => a.status.localeCompare(b.status));
    expect(runs.map(({ status }) => status)).toEqual([...Array.from({ length: 5 }, () => "completed"), "failed"]);
    expect(runs.at(-1)?.message).toContain("Endless → Endless → Endless → Endless → Endless → Endless");
  });
});

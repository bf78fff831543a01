import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { expr, inRow, node, saveAutomation } from "../../setup/automations.ts";

interface Side {
  readonly owner: User;
  readonly lead: string;
  readonly automations: readonly string[];
}

let sides: readonly Side[];

/** An automation that reads, and one that writes, whatever lead it is given. */
const setUp = async (): Promise<Side> => {
  const owner = await registerOrganization();
  const body = { name: `Of ${owner.organizationId}` };
  const lead = (await http.post("/v1/object/lead", { token: owner.token, body, expect: 201 })).body.id;
  const given = expr("inputs.body == null ? inputs.lead : inputs.body.lead");
  const reads = node("found", "query", { sql: "SELECT id, name FROM lead WHERE id = $1", params: [given] });
  const writes = node("changed", "update_record", { object: "lead", id: given, values: { amount: 1 } });
  const open = { public: true, run_as: owner.id };
  const automations = await Promise.all([
    saveAutomation(owner, inRow([reads], expr("nodes.found")), open),
    saveAutomation(owner, inRow([writes], expr("nodes.changed")), open),
  ]);
  return { owner, lead, automations };
};

beforeAll(async () => {
  sides = await Promise.all([setUp(), setUp()]);
});

it("whoever runs whose automation with whose record, nothing of another organization is read or written", async () => {
  const side = fc.nat({ max: 1 });
  const attempt = fc.record({ caller: side, automation: side, lead: side, writes: side, isPublic: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(attempt, async ({ caller, automation, lead, writes, isPublic }) => {
      const [by, of, about] = [sides[caller], sides[automation], sides[lead]];
      const id = of?.automations[writes] ?? "";
      const inputs = { lead: about?.lead };
      const reply = isPublic
        ? await http.post(`/v1/public/automation/${by?.owner.organizationId}/${id}`, { body: inputs })
        : await http.post(`/v1/automation/${id}`, { token: by?.owner.token ?? "", body: { inputs } });
      expect(reply.status).toBe(caller === automation ? 200 : 404);
      const shows = JSON.stringify(reply.body).includes(`Of ${about?.owner.organizationId}`);
      expect(shows).toBe(caller === automation && automation === lead);
    }),
    { numRuns: 40 },
  );
});

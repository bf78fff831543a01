import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createWorld, type World } from "../../domains/data/pipeline/pipeline-world.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld(inject("platform"));
});

afterAll(() => world.close());

const ask = (q: string, token: string) => world.http.get("/v1/query", { token, query: { q, bypass_cache: true } });

const told = async (q: string, token: string): Promise<string> => {
  const reply = await ask(q, token);
  expect([200, 422]).toContain(reply.status);
  return `${reply.status} ${reply.text.replace(/"request_id":"[^"]*"/, "")}`;
};

/** Sequentially, because a hundred concurrent requests would each start an execution environment. */
const allTold = async (queries: readonly string[], token: string): Promise<string[]> => {
  const answers: string[] = [];
  for (const q of queries) answers.push(await told(q, token));
  return answers;
};

const secretsOf = (field: string, object: string, other: string): string[] => [
  `SELECT ${field} FROM ${object}`,
  `SELECT ${object}.${field} FROM ${object}`,
  `SELECT ${field}.plan FROM ${object}`,
  `SELECT \`${field}\` AS name FROM ${object}`,
  `SELECT name FROM ${object} WHERE ${field} IS NOT NULL`,
  `SELECT name FROM ${object} WHERE ${field} LIKE '%E%' OR name = 'nobody'`,
  `SELECT name FROM ${object} ORDER BY ${field}`,
  `SELECT COUNT(*) FROM ${object} GROUP BY ${field}`,
  `SELECT COUNT(DISTINCT ${field}) FROM ${object}`,
  `SELECT MAX(${field}) FROM ${object}`,
  `SELECT name FROM ${object} GROUP BY name HAVING MIN(${field}) > 'A'`,
  `SELECT ${other}.name FROM ${other} JOIN ${object} ON ${object}.${field} = ${other}.name`,
  `SELECT ${other}.name FROM ${other} LEFT JOIN ${object} ON ${object}.id = ${other}.owner AND ${object}.${field} > 'A'`,
  `EXPLAIN SELECT name FROM ${object} WHERE ${field} = 'A'`,
];

const everything = [
  ...["user", "company", "lead", "task", "organization", "auth_credential"].map((object) => `SELECT * FROM ${object}`),
  "SELECT user.*, lead.name FROM lead JOIN user ON user.id = lead.owner",
  "SELECT lead.*, company.* FROM lead LEFT JOIN company ON company.id = lead.company ORDER BY lead.name, company.name",
  "SELECT DISTINCT owner FROM lead",
];

const namesOf = (field: string, object: string, other: string): string[] =>
  [
    `SELECT ${field} FROM ${object}`,
    `SELECT ${field}.id, ${field}.schema FROM ${object} ORDER BY ${field}`,
    `SELECT DISTINCT ${field} FROM ${object}`,
    `SELECT ${field}, COUNT(*) FROM ${object} GROUP BY ${field}`,
    `SELECT ${other}.name, ${object}.${field} FROM ${other} JOIN ${object} ON ${object}.${field} = ${other}.id`,
    `SELECT ${other}.name, ${object}.${field} FROM ${object} LEFT JOIN ${other} ON ${object}.${field} = ${other}.id`,
  ].concat(secretsOf(`${field}.name`, object, other).filter((text) => !text.includes("`")));

describe("the SQL route", () => {
  it("shows nobody what nobody may read", async () => {
    const secrets = ["password_hash", "totp_secret", "notification_tokens", "never_declared"];
    const queries = [
      ...everything,
      ...secrets.flatMap((field) => secretsOf(field, "user", "lead")),
      ...secretsOf("billing", "organization", "lead"),
      ...secretsOf("value", "auth_credential", "lead"),
      ...["organization_state", "record_counter", "schemas"].map((name) => `SELECT id FROM ${name}`),
    ];
    await world.changeSecrets(0);
    const before = await allTold(queries, world.ownerToken);
    await world.changeSecrets(2);
    const after = await allTold(queries, world.ownerToken);
    expect(after).toEqual(before);
    expect(after.join()).not.toContain(world.secretMarker);
    const statuses = before.slice(0, everything.length).map((text) => text.slice(0, 3));
    expect(statuses).toEqual(everything.map(() => "200"));
    expect(before.slice(everything.length).filter((text) => text.startsWith("200"))).toEqual([]);
  });

  it("shows a member nothing that their permissions exclude", async () => {
    const queries = [
      ...everything,
      ...secretsOf("email", "lead", "company"),
      ...secretsOf("industry", "company", "lead"),
      ...secretsOf("name", "invoice", "lead"),
    ];
    await world.changeHidden(0);
    const before = await allTold(queries, world.memberToken);
    await world.changeHidden(2);
    const after = await allTold(queries, world.memberToken);
    expect(after).toEqual(before);
    expect(after.join()).not.toContain(world.hiddenMarker);
    const statuses = before.slice(0, everything.length).map((text) => text.slice(0, 3));
    expect(statuses).toEqual(["200", "200", "200", "200", "422", "422", "200", "200", "200"]);
    expect(before.slice(everything.length).filter((text) => text.startsWith("200"))).toEqual([]);
  });

  it("shows a member the mask of sensitive values alone", async () => {
    const shown = ["SELECT name, phone FROM lead", "SELECT phone AS p FROM company", "SELECT lead.phone FROM lead"];
    const refused = [...secretsOf("phone", "lead", "company"), ...secretsOf("phone", "company", "lead")].slice(4);
    const queries = [...everything, ...shown, ...refused];
    await world.changeHidden(0);
    const before = await allTold(queries, world.memberToken);
    await world.changeHidden(2);
    const after = await allTold(queries, world.memberToken);
    expect(after).toEqual(before);
    expect(after.join()).not.toContain(world.hiddenMarker);
    for (const text of after.slice(everything.length, everything.length + shown.length)) {
      expect(text).toMatch(/^200 .*"\*\*\*"/);
    }
    await world.changeHidden(0);
    expect(await told("SELECT phone FROM lead", world.ownerToken)).toContain(world.hiddenMarker);
  });

  it("shows a member no name of a record of an unreadable object", async () => {
    const always = [...namesOf("role", "user", "lead"), ...namesOf("permissions", "user", "lead")];
    const sometimes = namesOf("related_to", "task", "company");
    await world.changeHidden(0);
    const before = await allTold([...always, ...sometimes], world.memberToken);
    await world.changeHidden(2);
    const after = await allTold([...always, ...sometimes], world.memberToken);
    expect(after).toEqual(before);
    expect(after.join()).not.toContain(world.hiddenMarker);
    const named = before.filter(
      (text, index) => text.startsWith("200") && /(?:role|permissions)\.name/.test(always[index] ?? ""),
    );
    expect(named.filter((text) => !text.includes('"records":[]'))).toEqual([]);
    expect(before.slice(always.length).join()).toContain('"related_to.name":"Acme"');
  });
});

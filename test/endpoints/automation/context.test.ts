import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";
import { addFunction, run, runBody } from "./functions.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

/** The error that the code of a function catches. */
const caught = (call: string): string =>
  `try:\n    await ${call}\n    return None\nexcept PlatformError as error:\n` +
  "    return {'code': error.code, 'message': error.message, 'details': error.details}";

const get = async (object: string, id: string) =>
  (await http.get(`/v1/object/${object}/${id}`, { token: owner.token, expect: 200 })).body;

describe("platform.records", () => {
  it("creates one record or many, as the executing user", async () => {
    const code =
      "one = await platform.records.create('lead', {'name': 'One', 'amount': 5})\n" +
      "many = await platform.records.create('lead', [{'name': 'Two'}, {'name': 'Three'}])\n" +
      "return [one, many]";
    const [one, many] = (await runBody(owner, code)) as [Record<string, unknown>, Record<string, unknown>[]];
    expect(one).toMatchObject({ name: "One", amount: 5, owner: { id: owner.id }, created_by: { id: owner.id } });
    expect(one).toEqual(await get("lead", String(one.id)));
    expect(many.map(({ name }) => name)).toEqual(["Two", "Three"]);
  });

  it("updates records by their ids in the data, or one by its id", async () => {
    const code =
      "a = await platform.records.create('lead', {'name': 'A'})\n" +
      "b = await platform.records.create('lead', {'name': 'B'})\n" +
      "one = await platform.records.update('lead', {'id': a['id'], 'status': 'Working'})\n" +
      "two = await platform.records.update('lead', b['id'], {'status': 'Qualified'})\n" +
      "many = await platform.records.update('lead', [{'id': a['id'], 'amount': 1}, {'id': b['id'], 'amount': 2}])\n" +
      "return [one['status'], two['status'], [m['amount'] for m in many]]";
    expect(await runBody(owner, code)).toEqual(["Working", "Qualified", [1, 2]]);
  });

  it("deletes one record or many", async () => {
    const code =
      "ids = [r['id'] for r in await platform.records.create('lead', [{'name': str(n)} for n in range(3)])]\n" +
      "first = await platform.records.delete('lead', ids[0])\n" +
      "rest = await platform.records.delete('lead', ids[1:])\n" +
      "return [ids, first, rest]";
    const [ids, first, rest] = (await runBody(owner, code)) as [string[], object, object];
    expect(first).toEqual({ deleted: ids.slice(0, 1) });
    expect(rest).toEqual({ deleted: ids.slice(1) });
  });

  it("is refused with the issues of the public API", async () => {
    const bad = await runBody(owner, caught("platform.records.create('lead', [{'name': 'x'}, {'nome': 'y'}])"));
    expect(bad).toMatchObject({
      code: "validation_failed",
      details: [
        { loc: ["body", 1, "nome"], type: "extra_forbidden" },
        { loc: ["body", 1, "name"], type: "missing" },
      ],
    });
    expect(await runBody(owner, caught("platform.records.create('nothing', {})"))).toMatchObject({
      code: "object_not_found",
      details: null,
    });
    expect(await runBody(owner, caught("platform.records.update('lead', 'nowhere', {'name': 'x'})"))).toMatchObject({
      code: "record_not_found",
    });
    expect(await runBody(owner, caught("platform.records.create('log', {'name': 'forged'})"))).toMatchObject({
      code: "forbidden",
    });
    expect(
      await runBody(owner, caught("platform.records.update('organization', {'id': 'x', 'billing': 1})")),
    ).toMatchObject({ code: "forbidden" });
  });

  it("fails the function if the error is not caught", async () => {
    expect(await runBody(owner, "await platform.records.create('nothing', {})")).toMatchObject({
      status: "error",
      error_type: "PlatformError",
    });
  });

  it("is refused with wrong arguments, as Python would refuse them", async () => {
    for (const call of [
      "records.create('lead')",
      "records.create('lead', {'name': 'x'}, 1)",
      "records.create('lead', {'name': 'x'}, object='lead')",
      "records.delete('lead', None)",
      "records.update(7, {})",
      "query.sql(None)",
      "query.sql('SELECT id FROM lead', 'text')",
      "query.docdb('lead', 7)",
      "workflows.run_function(7)",
      "workflows.run_function('x.py', [1])",
    ]) {
      const error = await runBody(owner, caught(`platform.${call}`));
      expect({ call, error }).toMatchObject({ call, error: { code: "validation_failed", details: [{}] } });
    }
  });
});

describe("platform.query", () => {
  it("binds values as values, whatever they contain", async () => {
    const name = `O'Hara" -- $2 '; DROP`;
    const code =
      "await platform.records.create('lead', {'name': kwargs['name'], 'amount': 7})\n" +
      "q = 'SELECT name FROM lead WHERE name = $1 AND amount > $2'\n" +
      "found = await platform.query.sql(q, [kwargs['name'], 5])\n" +
      "listed = await platform.query.sql('SELECT name FROM lead WHERE name IN ($1)', [[kwargs['name'], 'x']])\n" +
      "limited = await platform.query.sql('SELECT name FROM lead LIMIT $1', [1])\n" +
      "none = await platform.query.sql('SELECT name FROM lead WHERE name = $1', [\"' OR 1 = 1 --\"])\n" +
      "return [found, listed, len(limited), none]";
    expect(await runBody(owner, code, { name })).toEqual([[{ name }], [{ name }], 1, []]);
  });

  it("refuses a query with too few or too many values, and what is no value", async () => {
    const refusal = async (call: string) =>
      ((await runBody(owner, caught(`platform.query.${call}`))) as { details: { msg: string }[] }).details[0]?.msg;
    expect(await refusal("sql('SELECT id FROM lead WHERE name = $1')")).toContain("There is no value for $1.");
    expect(await refusal("sql('SELECT id FROM lead WHERE name = $1', ['a', 'b'])")).toContain("uses 1 of the 2 values");
    expect(await refusal("sql('SELECT id FROM lead WHERE name = $1', [{}])")).toContain("must be text, a number");
    expect(await refusal("sql('SELECT id FROM lead LIMIT $1', ['1'])")).toContain("must be a whole number");
    expect(await refusal("sql('SELECT id FROM $1', ['lead'])")).toContain("Expected an object, found $1.");
  });

  it("runs pipelines and filters", async () => {
    const code =
      "await platform.records.create('company', [{'name': 'Alpha'}, {'name': 'Beta'}])\n" +
      "filtered = await platform.query.docdb('company', {'name': 'Alpha'})\n" +
      "piped = await platform.query.docdb('company', [{'$match': {'name': 'Beta'}}, {'$project': {'name': 1}}])\n" +
      "return [[r['name'] for r in filtered], [r['name'] for r in piped]]";
    expect(await runBody(owner, code)).toEqual([["Alpha"], ["Beta"]]);
    expect(await runBody(owner, caught("platform.query.docdb('lead', [{'$out': 'x'}])"))).toMatchObject({
      code: "validation_failed",
    });
  });

  it("refuses a result that is larger than 1 MiB", async () => {
    const code =
      "for _ in range(2):\n" +
      "    await platform.records.create('note', [{'name': str(n), 'body': 'x' * 30000} for n in range(20)])\n" +
      `try:\n    await platform.query.sql('SELECT * FROM note')\nexcept PlatformError as e:\n    return e.details[0]['type']`;
    expect(await runBody(owner, code)).toBe("result_too_large");
  });
});

describe("platform.workflows", () => {
  it("runs another function as the same user, and gives what it returned", async () => {
    const inner = await addFunction(owner, "return [kwargs['n'] + 1, platform.user['id']]");
    const code = "return await platform.workflows.run_function(kwargs['inner'], {'n': 1})";
    expect(await runBody(owner, code, { inner })).toEqual([2, owner.id]);
  });

  it("gives the failure of another function as the route does, and raises if there is none", async () => {
    const inner = await addFunction(owner, "raise ValueError('inner')");
    const code = "return await platform.workflows.run_function(kwargs['inner'])";
    expect(await runBody(owner, code, { inner })).toEqual({
      status: "error",
      message: "inner",
      error_type: "ValueError",
    });
    expect(await runBody(owner, caught("platform.workflows.run_function('nowhere.py')"))).toMatchObject({
      code: "function_not_found",
    });
  });

  it("leaves a log record of each function", async () => {
    const inner = await addFunction(owner, "return 1");
    const outer = await addFunction(owner, `return await platform.workflows.run_function('${inner}')`);
    await run(owner, outer);
    const q = `SELECT name, place FROM log WHERE name = '${inner}' OR name = '${outer}' ORDER BY id`;
    const { body } = await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 });
    expect(new Set(body.records.map(({ name, place }: Record<string, string>) => `${name} ${place}`))).toEqual(
      new Set([`${outer} api`, `${inner} function`]),
    );
  });
});

describe("platform.metadata", () => {
  it("gives the value of a name, or the default", async () => {
    const body = { name: "Limits", api_name: "limits", value: { most: 5 } };
    await http.post("/v1/object/app_metadata", { token: owner.token, body, expect: 201 });
    const code =
      "known = await platform.metadata.get_config('limits')\n" +
      "none = await platform.metadata.get_config('nothing')\n" +
      "other = await platform.metadata.get_config('nothing', default={'a': 1})\n" +
      "return [known, none, other]";
    expect(await runBody(owner, code)).toEqual([{ most: 5 }, null, { a: 1 }]);
  });
});

describe("platform.user", () => {
  it("is the executing user", async () => {
    expect(await runBody(owner, "return platform.user")).toMatchObject({
      id: owner.id,
      email: owner.email,
      organization_id: owner.organizationId,
    });
  });
});

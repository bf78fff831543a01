import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, test } from "vitest";
import { http, registerOrganization, type User } from "../platform.ts";
import { type Machine, signedInMachine, withoutColours } from "./command.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const lines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const countOf = async (user: User, object: string): Promise<number> => {
  const q = `SELECT COUNT(*) AS n FROM ${object}`;
  return (await http.get("/v1/query", { token: user.token, query: { q }, expect: 200 })).body.records[0].n;
};

describe("many records on the command line", () => {
  const COUNT = 5_000;
  const isWrong = (index: number): boolean => index % 500 === 7;

  const csv = (): string => {
    const rows = Array.from({ length: COUNT }, (_, index) =>
      [`Lead ${index}`, index % 2 ? "New" : "Working", isWrong(index) ? "plenty" : index].join(","),
    );
    return `name,status,amount\n${rows.join("\n")}\n`;
  };

  const wrongLines = Array.from({ length: COUNT }, (_, index) => index)
    .filter(isWrong)
    .map((index) => index + 2);

  test("of 5,000 CSV lines the valid ones are created, and the others are reported by line", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    await writeFile(join(device.home, "leads.csv"), csv());
    const args = ["record", "create", "lead", "--file", "leads.csv", "--failures", "failed.ndjson"];
    const { code, stdout, stderr } = await device.run(args);
    expect(code).toBe(6);
    expect(lines(stdout)).toHaveLength(COUNT - wrongLines.length);
    expect(lines(stdout)[0]).toMatchObject({ name: "Lead 0", status: "Working", amount: 0 });
    expect(stderr).toContain("4,990 records created");
    expect(stderr).toContain("10 records refused:");
    expect(stderr).toMatch(/line +9 {2}amount: Expected a number\./);
    expect(stderr).not.toContain("%");
    const failed = lines(await readFile(join(device.home, "failed.ndjson"), "utf8"));
    expect(failed.map(({ line }) => line)).toEqual(wrongLines);
    expect(failed[0]).toMatchObject({
      error: "amount: Expected a number.",
      record: { name: "Lead 7", amount: "plenty" },
    });
    expect(await countOf(user, "lead")).toBe(COUNT - wrongLines.length);
  });

  test("are written with a progress bar on a terminal, which does not show the records", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    await writeFile(join(device.home, "leads.csv"), csv());
    const { code, stdout } = await device.onTerminal([
      "record",
      "create",
      "lead",
      "--file",
      "leads.csv",
      "--batch",
      "100",
    ]);
    expect(code).toBe(6);
    const shown = withoutColours(stdout);
    expect(shown).toMatch(/created ━+─* +\d+% +\d+ of 5000/);
    expect(shown).toContain("✓ 4,990 records created");
    expect(shown).not.toContain('"name"');
  });

  test("finish running requests on Ctrl-C, and report what was written", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    await writeFile(join(device.home, "leads.csv"), csv());
    const args = ["record", "create", "lead", "--file", "leads.csv", "--batch", "1", "--parallel", "1"];
    const { code, stdout } = await device.onTerminal(args, { steps: [{ expect: "━", send: "\u0003" }] });
    expect(code).toBe(130);
    const [, created = "", untried = ""] =
      /✓ ([\d,]+) records? created[\s\S]*! ([\d,]+) records not created, because the work was stopped/.exec(
        withoutColours(stdout),
      ) ?? [];
    const numberIn = (text: string): number => Number(text.replaceAll(",", ""));
    expect(await countOf(user, "lead")).toBe(numberIn(created));
    const refused = /✗ (\d+) record/.exec(withoutColours(stdout))?.[1] ?? "0";
    expect(numberIn(created) + numberIn(untried) + Number(refused)).toBe(COUNT);
  });

  test("are created once when an import is repeated with its idempotency key", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    const stdin = Array.from({ length: 700 }, (_, index) => JSON.stringify({ name: `Note ${index}` })).join("\n");
    const args = ["record", "create", "note", "--idempotency-key", "first-import"];
    const first = await device.run(args, { stdin });
    const second = await device.run(args, { stdin });
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(second.stdout).toBe(first.stdout);
    expect(await countOf(user, "note")).toBe(700);
    expect((await device.run(["record", "create", "note"], { stdin })).code).toBe(0);
    expect(await countOf(user, "note")).toBe(1400);
  });

  test("can be exported, changed and imported, and deleted by the ids of an export", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    const companies = Array.from({ length: 30 }, (_, index) => ({ name: `Company; ${index} "x"`, employees: index }));
    expect((await device.run(["record", "create", "company"], { stdin: JSON.stringify(companies) })).code).toBe(0);
    const exported = await device.run(["record", "list", "company", "--all", "--csv"]);
    const changed = exported.stdout.replaceAll("Company;", "Firm,\n");
    const quoted = await device.run(["record", "update", "company"], { stdin: changed });
    expect(quoted.stderr).toContain("Left out, because the platform keeps them itself: created_date");
    expect(quoted.code).toBe(0);
    const ids = await device.run(["query", "SELECT id, name FROM company ORDER BY employees"]);
    expect(lines(ids.stdout)[0]?.name).toBe('Firm,\n 0 "x"');
    const gone = lines(ids.stdout).map(({ id }) => id);
    await device.run(["record", "delete", "company", String(gone[3])]);
    const rest = await device.run(["record", "delete", "company", "--yes"], { stdin: gone.join("\n") });
    expect(rest.code).toBe(6);
    expect(rest.stderr).toContain("29 records deleted");
    expect(rest.stderr).toMatch(/line +4 /);
    expect(await countOf(user, "company")).toBe(0);
  });

  /** Formulas for a spreadsheet, and texts that only look like one. */
  const CELLS: readonly (readonly [value: string, cell: string])[] = [
    ["=HYPERLINK(A1)", "'=HYPERLINK(A1)"],
    ["+49 30 1234", "'+49 30 1234"],
    ["+5", "'+5"],
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", "'\r=1"],
    ["\n=1", "'\n=1"],
    [" =1", "' =1"],
    ["＝1", "'＝1"],
    ["'=1", "''=1"],
    ["''", "''"],
    ["'tis", "'tis"],
    ["-5", "-5"],
    ["-5.25e3", "-5.25e3"],
    ["-five", "'-five"],
    ["a=b", "a=b"],
  ];

  test("have no formulas in CSV, and are imported with their original values", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    const body = CELLS.map(([title], index) => ({ name: `Contact ${index + 10}`, title }));
    await http.post("/v1/object/contact", { token: user.token, body, expect: 201 });
    const sql = "SELECT name, title FROM contact ORDER BY name";
    const before = lines((await device.run(["query", sql])).stdout);
    const exported = await device.run(["query", sql, "--csv"]);
    const cells: string[][] = parse(exported.stdout, { from: 2 });
    expect(cells.map(([, cell]) => cell)).toEqual(CELLS.map(([, cell]) => cell));
    const ids = await device.run(["query", "SELECT id FROM contact"]);
    expect((await device.run(["record", "delete", "contact", "--yes"], { stdin: ids.stdout })).code).toBe(0);
    const created = await device.run(["record", "create", "contact"], { stdin: exported.stdout });
    expect([created.code, await countOf(user, "contact")]).toEqual([0, CELLS.length]);
    expect(lines((await device.run(["query", sql])).stdout)).toEqual(before);
  });

  test("keep numbers in CSV as numbers, also negative ones", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    const body = [-5, 7, -0.25].map((amount) => ({ name: "Debt", amount }));
    await http.post("/v1/object/lead", { token: user.token, body, expect: 201 });
    const exported = await device.run(["query", "SELECT amount FROM lead ORDER BY amount", "--csv"]);
    expect(exported.stdout).toBe("amount\n-5\n-0.25\n7\n");
  });

  test("are exported unchanged with --raw, and imported unchanged", async () => {
    const user = await registerOrganization();
    const device = await signedInMachine(user);
    const body = [{ name: "=1+1" }, { name: "'=1+1" }];
    await http.post("/v1/object/company", { token: user.token, body, expect: 201 });
    const sql = "SELECT name FROM company ORDER BY name";
    const raw = await device.run(["query", sql, "--csv", "--raw"]);
    expect(raw.stdout).toBe("name\n'=1+1\n=1+1\n");
    expect((await device.run(["record", "create", "company", "--raw"], { stdin: raw.stdout })).code).toBe(0);
    const twice = await device.run(["query", sql, "--output", "csv", "--raw"]);
    expect(twice.stdout).toBe("name\n'=1+1\n'=1+1\n=1+1\n=1+1\n");
  });

  test("are validated as a whole before anything is sent", async () => {
    const device = await signedInMachine(owner);
    const create = (stdin: string, ...args: string[]) => device.run(["record", "create", "task", ...args], { stdin });
    const refused = async (run: Promise<{ code: number | null; stderr: string }>, text: string) =>
      expect(await run).toMatchObject({ code: 2, stderr: expect.stringContaining(text) });
    await refused(create('{"name":"a"}\n{"name":\n{"name":"c"}'), "line 2 is no JSON object");
    await refused(create('[{"name":"a"}, 5]'), "item 2 is no record");
    await refused(create("name,colour\na,red\n"), "task has no field colour");
    await refused(create('name,status\n"a,Open\n'), "standard input");
    await refused(create("", "--file", "nowhere.csv"), "There is no file nowhere.csv");
    await refused(create(""), "There is no data");
    expect(await countOf(owner, "task")).toBe(0);
  });
});

describe("one record on the command line", () => {
  const stdoutOf = async (device: Machine, ...args: string[]) => {
    const { code, stdout, stderr } = await device.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };

  test("is created, read, changed and deleted, with values typed by the schema", async () => {
    const device = await signedInMachine(owner);
    const created = JSON.parse(await stdoutOf(device, "record", "create", "contact", '{"name":"Grace"}'));
    const one = ["contact", created.id];
    const changed = JSON.parse(
      await stdoutOf(device, "record", "update", ...one, "--set", "title=Admiral", "--set", "phone="),
    );
    expect(changed).toMatchObject({ id: created.id, name: "Grace", title: "Admiral", phone: null });
    expect(JSON.parse(await stdoutOf(device, "record", "get", ...one))).toEqual(changed);
    const invoice = ["record", "create", "invoice", "--set", "name=INV=1", "--set", "amount=12.50", "--set"];
    expect(JSON.parse(await stdoutOf(device, ...invoice, `contact=${created.id}`))).toMatchObject({
      name: "INV=1",
      amount: 12.5,
      contact: { id: created.id, schema: "contact", name: "Grace" },
    });
    expect(await device.run(["record", "delete", ...one])).toMatchObject({ code: 0, stdout: "" });
    expect(await device.run(["record", "get", ...one])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("tenantry record list contact"),
    });
  });

  test("a refusal of the platform is a sentence and exit code 4", async () => {
    const device = await signedInMachine(owner);
    const refused = async (args: string[], text: string) =>
      expect(await device.run(args)).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining(text) });
    await refused(
      ["record", "create", "lead", '{"amount":"x"}'],
      "2 things are wrong with the record:\n  amount: Expected a number.\n  name: This field is required.\n",
    );
    await refused(["record", "list", "unicorn"], "tenantry schema list");
    await refused(["record", "create", "sandbox", "{}"], "✗");
    await refused(["query", "SELECT name FORM lead"], "\n  SELECT name FORM lead\n              ^");
  });

  test("are deleted only after a confirmation, which scripts are not asked for", async () => {
    const device = await signedInMachine(owner);
    expect(await device.run(["record", "delete", "lead", "x", "y"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    const asked = await device.onTerminal(["record", "delete", "lead", "x", "y"], {
      steps: [{ expect: "Delete 2", send: "n" }],
    });
    expect(withoutColours(asked.stdout)).toContain("nothing was changed");
    expect(asked.code).toBe(130);
  });
});

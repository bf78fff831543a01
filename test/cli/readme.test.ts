import { readFile } from "node:fs/promises";
import stringWidth from "string-width";
import { beforeAll, describe, expect, test } from "vitest";
import { createUser, http, platformUrl, registerOrganization, type User } from "../platform.ts";
import { machine, withoutColours } from "./command.ts";

const COLUMNS = 80;

let commands: readonly string[];

/** The session under a heading of README.md, line by line. */
const readSession = async (heading: string): Promise<readonly string[]> => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, section = ""] = readme.split(`## ${heading}\n`);
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  return block.trim().split("\n");
};

/** Line ends, and the control sequence that rewrites a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const redrawn = /[\r\n]|\u001b\[[0-9;?]*[A-HJK]/;

/** An organization like the demo's. */
const furnished = async (): Promise<User> => {
  const owner = await registerOrganization();
  const create = (object: string, body: unknown) =>
    http.post(`/v1/object/${object}`, { token: owner.token, body, expect: 201 });
  const lead = (index: number) => ({
    name: index % 2 ? `Lead ${index}` : `Müller 日本 ${"long ".repeat(9)}${index}`,
    status: "New",
    amount: index * 1000,
  });
  await create(
    "lead",
    Array.from({ length: 60 }, (_, index) => lead(index)),
  );
  await create("company", [{ name: "North" }, { name: "South" }, { name: "East" }, { name: "West" }]);
  await create(
    "contact",
    Array.from({ length: 20 }, (_, index) => ({ name: `Contact ${index}`, email: `c${index}@example.com` })),
  );
  return owner;
};

const login = (line: string, { password }: User): string => `echo '${password}' | ${line.replace(/ *#.*/, "")}`;

/** Typed lines as a script that prints the exit code of each, for that person on that platform. */
const scriptFor = (lines: readonly string[], owner: User, adapted = (line: string) => line): string =>
  lines
    .map((line) => line.replace("http://127.0.0.1:3000", platformUrl).replace("owner@acme.test", owner.email))
    .map(adapted)
    .map((line) => `${line}\necho "→ $?" >&2`)
    .join("\n");

const exitCodesIn = (text: string): number[] => [...text.matchAll(/→ (\d+)/g)].map(([, code]) => Number(code));

/**
 * Runs a session that begins where the first one has signed in. All its lines succeed, but for those that say that they
 * are refused.
 */
const runSession = async (heading: string, owner: User, adapted = (line: string) => line) => {
  const { shell, home } = await machine();
  const signIn = ["tenantry init --url http://127.0.0.1:3000", "tenantry login --email owner@acme.test"];
  const lines = [...signIn, ...(await readSession(heading))];
  const piped = (line: string) => (line.startsWith("tenantry login") ? login(line, owner) : line);
  const { stdout, stderr } = await shell(scriptFor(lines, owner, (line) => piped(adapted(line))));
  expect(exitCodesIn(stderr)).toEqual(lines.map((line) => (line.includes("# refused") ? 4 : 0)));
  return { stdout, stderr, home };
};

/** All lines succeed except the import with a bad line. */
const expected = (): number[] => commands.map((line) => (line.startsWith("printf") ? 6 : 0));

beforeAll(async () => {
  commands = await readSession("The command line");
});

describe("the command line session in the README", () => {
  test("has at least 20 commands, and one of each kind", () => {
    const typed = commands.join("\n");
    expect(typed.match(/\btenantry /g)?.length).toBeGreaterThanOrEqual(20);
    for (const command of [
      "init",
      "login",
      "logout",
      "whoami",
      "status",
      "profile",
      "query",
      "record",
      "schema",
      "open",
    ]) {
      expect(typed).toContain(`tenantry ${command}`);
    }
  });

  test.each([
    ["in colour", {}, true],
    ["without colours", { NO_COLOR: "1" }, false],
  ])("works on a terminal of 80 columns, %s", async (_, env, coloured) => {
    const owner = await furnished();
    const device = await machine();
    const { stdout } = await device.shellOnTerminal(scriptFor(commands, owner), {
      env,
      steps: [{ expect: "Password for", send: `${owner.password}\r` }],
    });
    const shown = withoutColours(stdout).replaceAll("\r", "");
    expect(exitCodesIn(shown)).toEqual(expected());
    expect(shown).toContain("STATUS");
    expect(shown).toContain("line 3  amount: Expected a number.");
    const lines = stdout.split(redrawn).map(withoutColours);
    expect(lines.filter((line) => stringWidth(line) > COLUMNS)).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
    expect(/\u001b\[[0-9;]*m/.test(stdout)).toBe(coloured);
  });

  test("works in a pipe: only data on stdout, no colours, no prompts", async () => {
    const owner = await furnished();
    const device = await machine();
    const typed = (line: string) => (line.startsWith("tenantry login") ? login(line, owner) : line);
    const { stdout, stderr } = await device.shell(scriptFor(commands, owner, typed));
    expect(exitCodesIn(stderr)).toEqual(expected());
    expect(`${stdout}${stderr}`).not.toContain("\u001b");
    expect(stdout).toContain('{"status":"New","leads":60,"worth":1770000}\n');
    expect(stdout).not.toMatch(/[✓✗─]/);
    expect((await readFile(`${device.home}/contacts.csv`, "utf8")).split("\n")).toHaveLength(22);
  });
});

describe("the small business in the README", () => {
  test("is modelled by its commands, and shows a technician their own job alone", async () => {
    const owner = await registerOrganization();
    const member = await createUser(owner.organizationId);
    const { stdout, stderr } = await runSession("Model a small business", owner, (line) =>
      line.replace("member@acme.test", member.email),
    );
    expect(stderr).toContain("price: A job that is done has a price.");
    expect(stderr).toContain('You may not set "price".');
    const jobs = stdout.split("\n").filter((line) => line.startsWith('{"number":'));
    expect(jobs.map((line) => JSON.parse(line).name)).toEqual(["Repair the lift"]);
    expect(stdout).toContain("Repair both lifts");
  });
});

describe("the session with functions in the README", () => {
  test("works: a function runs by the API and by a schedule, and a trigger refuses a record", async () => {
    const owner = await registerOrganization();
    const { stdout, stderr } = await runSession("Write functions in Python", owner, (line) =>
      // A slow machine takes longer than the reader.
      line.replace(/^sleep .*/, "until tenantry function logs 2>&1 | grep -q '\"schedule\"'; do sleep 1; done"),
    );
    expect(stderr).toContain("name: Please do not shout.");
    const executions = stdout.split("\n").filter((line) => line.includes('"count_leads.py"'));
    expect(executions.map((line) => JSON.parse(line)).map(({ place, output }) => [place, output.count])).toEqual([
      ["api", 0],
      ["schedule", 1],
    ]);
  });
});

describe("the sandbox session in the README", () => {
  test("works, leaves production as it was, and ends in the organization itself", async () => {
    const owner = await registerOrganization("Acme");
    const { stdout, stderr, home } = await runSession("Work in a sandbox", owner);
    expect(stderr.match(/^In sandbox staging of Acme$/gm)).toHaveLength(2);
    expect(stdout).toContain('{"name":"Only a test"}\n');
    expect(stdout).toContain('{"leads":0}\n');
    expect(stdout).toContain("+ field lead.rating\n");
    expect(JSON.parse(await readFile(`${home}/tenantry.json`, "utf8"))).toEqual({ url: platformUrl });
  });
});

describe("the session with messages in the README", () => {
  test("works: an email is kept, a template is pushed, and a notification is read", async () => {
    const owner = await registerOrganization();
    const { stdout } = await runSession("Send messages", owner);
    expect(stdout).toMatch(/"status": ?"captured"/);
    const q = `/v1/query?${new URLSearchParams({ q: "SELECT name, subject FROM template" })}`;
    const { body } = await http.get(q, { token: owner.token, expect: 200 });
    expect(body.records).toEqual([{ name: "Welcome", subject: "Welcome, {{ lead.name }}" }]);
    const list = await http.get("/v1/notifications", { token: owner.token, expect: 200 });
    expect(list.body).toMatchObject({
      unread_count: 0,
      notifications: [{ title: "The lift is repaired", read: true }],
    });
  });
});

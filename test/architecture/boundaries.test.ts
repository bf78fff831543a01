import { execFile } from "node:child_process";
import { cp, glob, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";

const FIXTURES = "test/architecture/fixtures";
const REFUSED = /\/\/ refused: (.+)$/;
/** The rules that make up the boundaries. Fixtures may break all other rules. */
const BOUNDARY_RULES = new Set([
  "plugin",
  "lint/style/noRestrictedImports",
  "lint/style/noRestrictedGlobals",
  "lint/suspicious/noImportCycles",
]);

const report = z.object({
  diagnostics: z.array(
    z.object({
      category: z.string(),
      message: z.string(),
      advices: z.unknown(),
      location: z.object({ path: z.string(), start: z.object({ line: z.int() }) }),
    }),
  ),
});

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

let root: string;
let findings: Finding[];

const lint = (directory: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const binary = join(process.cwd(), "node_modules/.bin/biome");
    const options = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
    execFile(binary, options, { cwd: directory, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) =>
      stdout === "" ? reject(new Error(stderr)) : resolve(stdout),
    );
  });

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "tenantry-boundaries-"));
  for (const path of ["biome.json", "package.json", ".gitignore", "test/architecture/boundaries"]) {
    await cp(path, join(root, path), { recursive: true });
  }
  await cp(FIXTURES, root, { recursive: true });
  const { diagnostics } = report.parse(JSON.parse(await lint(root)));
  findings = diagnostics
    .filter(({ category }) => BOUNDARY_RULES.has(category))
    .map(({ location, message, advices }) => ({
      file: location.path,
      line: location.start.line,
      text: `${message} ${JSON.stringify(advices)}`,
    }));
});

afterAll(() => rm(root, { recursive: true, force: true }));

const fixtures = (await Array.fromAsync(glob("**/*.ts", { cwd: FIXTURES }))).sort();

test.each(fixtures)("%s: exactly the marked lines are refused", async (file) => {
  const lines = (await readFile(join(FIXTURES, file), "utf8")).split("\n");
  const found = findings.filter((finding) => finding.file === file);
  const expected = lines.flatMap((line, index) => (REFUSED.test(line) ? [index + 1] : []));
  expect([...new Set(found.map(({ line }) => line))].sort((a, b) => a - b)).toEqual(expected);
  for (const line of expected) {
    const texts = found.filter((finding) => finding.line === line).map(({ text }) => text);
    expect(texts.join("\n")).toContain(REFUSED.exec(lines[line - 1] ?? "")?.[1]);
  }
});

test("every boundary rule has a fixture that it refuses and one that it accepts", () => {
  const marked = new Set(findings.map(({ file }) => file));
  expect(marked.size).toBeGreaterThanOrEqual(10);
  expect(fixtures.length - marked.size).toBeGreaterThanOrEqual(5);
});

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

/** The interpreters to try: `PYTHON_INTERPRETERS` lists more, separated by colons. */
const { PYTHON_INTERPRETERS = "" } = process.env;
const candidates = [
  "python3",
  "python3.11",
  "python3.12",
  "python3.13",
  ...PYTHON_INTERPRETERS.split(":").filter((path) => path !== ""),
];

/** Version, such as 3.13 → interpreter. Each version counts once. */
const interpreters = new Map<string, string>();
for (const candidate of candidates) {
  const version = await run(candidate, ["-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (version !== undefined && Number(version.split(".")[1]) >= 11) interpreters.set(version, candidate);
}

test("an interpreter of Python 3.11 or later is found", () => {
  expect([...interpreters.keys()]).not.toEqual([]);
});

// They take half a minute of processor time for each version.
const timeout = 900_000;
test.each([...interpreters])("the runner's own tests pass on Python %s", { timeout }, async (_version, interpreter) => {
  const { stderr } = await run(interpreter, ["-B", "-m", "unittest", "discover", "-s", "."], {
    cwd: join(import.meta.dirname),
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stderr?: string; message: string }) => {
    throw new Error(error.stderr ?? error.message);
  });
  expect(stderr).toMatch(/Ran \d+ tests[\s\S]*\nOK/);
});

import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { platformUrl } from "../platform.ts";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Replaces an older Node, which this machine may not have. */
const older = `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })`;

/** A folder like an installed npm package, outside the repository. */
const installed = async (bundled: boolean): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tenantry-package-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const cli = join(folder, "node_modules/tenantry/cli");
  await mkdir(cli, { recursive: true });
  await cp(join(root, "cli/tenantry.mjs"), join(cli, "tenantry.mjs"));
  if (bundled) await run(process.execPath, [join(root, "cli/build.mjs"), join(cli, "dist")], { cwd: root });
  return join(cli, "tenantry.mjs");
};

test("an installed package runs from its bundle alone", async () => {
  const launcher = await installed(true);
  expect((await run(process.execPath, [launcher, "--version"])).stdout).toBe(`${manifest.version}\n`);
  const { stdout } = await run(process.execPath, [launcher, "status", "--url", platformUrl]);
  expect(JSON.parse(stdout)).toMatchObject({ detail: "ok", url: platformUrl });
});

test("an older Node starts the one that npm has installed, and without one reports what is needed", async () => {
  const clone = join(root, "cli/tenantry.mjs");
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout } = await run(process.execPath, ["--import", older, clone, "--version"], { env });
  expect(stdout).toBe(`${manifest.version}\n`);
  const launcher = await installed(false);
  await expect(run(process.execPath, ["--import", older, launcher, "--version"], { env })).rejects.toMatchObject({
    code: 1,
    stderr: "tenantry needs Node 24.11 or later, and this is Node 20.20.2: install it from https://nodejs.org.\n",
  });
});

test("a package without its bundle reports that", async () => {
  const launcher = await installed(false);
  await expect(run(process.execPath, [launcher, "--version"])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("without its bundle"),
  });
});

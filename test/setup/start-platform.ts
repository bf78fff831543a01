import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { startPlatformVendors, type VendorUrls } from "../vendors/platform-vendors.ts";
import { type LaunchedPlatform, type LaunchOptions, launchPlatform } from "./launch-platform.ts";

declare module "vitest" {
  export interface ProvidedContext {
    platform: LaunchedPlatform["access"];
    /** The launcher of the command line, installed with its bundle. */
    command: string;
    /** Where tests control what vendors of payment and of usage say. */
    vendors: VendorUrls;
  }
}

/**
 * Starting an execution environment takes as much processor time as a hundred requests, so environments are kept for
 * the whole run.
 */
const environments = { most: 64, idle: 600_000 };

interface Started {
  readonly access: LaunchedPlatform["access"];
  readonly dataDir: string;
  stop(): Promise<void>;
}

export const startForTests = async (options: Omit<LaunchOptions, "dataDir"> = {}): Promise<Started> => {
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-test-"));
  const { access, stop } = await launchPlatform({ dataDir, environments, ...options });
  return {
    access,
    dataDir,
    stop: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** As npm installs it: the bundle starts in half the processor time that the sources take. */
const installCommand = async (folder: string): Promise<string> => {
  const source = join(import.meta.dirname, "..", "..", "cli");
  const target = join(folder, "node_modules", "tenantry", "cli");
  await mkdir(target, { recursive: true });
  await copyFile(join(source, "tenantry.mjs"), join(target, "tenantry.mjs"));
  await promisify(execFile)(process.execPath, [join(source, "build.mjs"), join(target, "dist")]);
  return join(target, "tenantry.mjs");
};

const startAll = async (): Promise<Started & { readonly command: string; readonly vendors: VendorUrls }> => {
  const { vendors, urls, stop } = await startPlatformVendors();
  const started = await startForTests({ passwordHashes: "weak", vendors });
  return {
    ...started,
    command: await installCommand(started.dataDir),
    vendors: urls,
    stop: async () => {
      await started.stop();
      await stop();
    },
  };
};

/** One platform serves all projects of a run. Vitest loads this module once for each of them. */
const shared = globalThis as { tenantryTestPlatform?: ReturnType<typeof startAll> | undefined };

/** Every test registers its own organization, so that tenancy isolates the tests. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  shared.tenantryTestPlatform ??= startAll();
  const { access, command, vendors } = await shared.tenantryTestPlatform;
  project.provide("platform", access);
  project.provide("command", command);
  project.provide("vendors", vendors);
  return async () => {
    const started = await shared.tenantryTestPlatform;
    shared.tenantryTestPlatform = undefined;
    await started?.stop();
  };
};

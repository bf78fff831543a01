import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type LaunchedPlatform, type LaunchOptions, launchPlatform } from "./launch-platform.ts";

declare module "vitest" {
  export interface ProvidedContext {
    platform: LaunchedPlatform["access"];
  }
}

/**
 * Starting an execution environment takes as much processor time as a hundred requests, so environments are kept for
 * the whole run.
 */
const environments = { most: 96, idle: 600_000 };

export const startForTests = async (
  options: Omit<LaunchOptions, "dataDir"> = {},
): Promise<{ access: LaunchedPlatform["access"]; stop: () => Promise<void> }> => {
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-test-"));
  const { access, stop } = await launchPlatform({ dataDir, environments, ...options });
  return {
    access,
    stop: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** One platform serves all projects of a run. Vitest loads this module once for each. */
const shared = globalThis as { tenantryTestPlatform?: ReturnType<typeof startForTests> | undefined };

/** Every test registers its own organization, so that tenancy isolates the tests. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  shared.tenantryTestPlatform ??= startForTests({ passwordHashes: "weak" });
  project.provide("platform", (await shared.tenantryTestPlatform).access);
  return async () => {
    const started = await shared.tenantryTestPlatform;
    shared.tenantryTestPlatform = undefined;
    await started?.stop();
  };
};

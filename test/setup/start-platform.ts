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

/** Starts the one platform of a project's run. Its return value stops it. */
export const providePlatform = async (
  project: TestProject,
  options: Omit<LaunchOptions, "dataDir"> = {},
): Promise<() => Promise<void>> => {
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-test-"));
  const platform = await launchPlatform({ dataDir, ...options });
  project.provide("platform", platform.access);
  return async () => {
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
};

/** One platform serves the whole run; every test registers its own organization, so tenancy isolates the tests. */
export const setup = (project: TestProject): Promise<() => Promise<void>> =>
  providePlatform(project, { passwordHashes: "weak" });

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type LaunchedPlatform, launchPlatform } from "./launch-platform.ts";

declare module "vitest" {
  export interface ProvidedContext {
    platform: LaunchedPlatform["access"];
  }
}

/** One platform serves the whole run; every test registers its own organization, so tenancy isolates the tests. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const dataDir = await mkdtemp(join(tmpdir(), "tenantry-test-"));
  const platform = await launchPlatform({ dataDir });
  project.provide("platform", platform.access);
  return async () => {
    await platform.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
};

import type { TestProject } from "vitest/node";
import { startForTests } from "./start-platform.ts";

/** A platform with production's password hashes, for tests of hashes and of response times. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { access, stop } = await startForTests();
  project.provide("platform", access);
  return stop;
};

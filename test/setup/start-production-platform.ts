import type { TestProject } from "vitest/node";
import { startForTests } from "./start-platform.ts";

/** A platform whose password hashes cost what they cost in production: for tests of the costs and of response times. */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { access, stop } = await startForTests();
  project.provide("platform", access);
  return stop;
};

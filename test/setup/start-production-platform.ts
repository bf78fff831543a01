import type { TestProject } from "vitest/node";
import { providePlatform } from "./start-platform.ts";

/** A platform whose password hashes cost what they cost in production: for tests of the costs and of response times. */
export const setup = (project: TestProject): Promise<() => Promise<void>> => providePlatform(project);

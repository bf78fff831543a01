import * as sandbox from "./sandbox-workflow.ts";
import type { TaskContract } from "./workflow.ts";

/** Every task of every workflow. A contract that is not listed here is not deployed. */
export const tasks: readonly TaskContract[] = Object.values(sandbox);

import type { Workflow } from "../stacks/workflows.ts";

/** Name → workflow. The tasks are those of `shared/contracts/workflows.ts`. */
export const workflows: Readonly<Record<string, Workflow>> = {};

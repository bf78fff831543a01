import type { Workflow } from "../stacks/workflows.ts";
import { sandboxWorkflow } from "./sandbox.ts";

/** Name → workflow. The tasks are those of `shared/contracts/workflows.ts`. */
export const workflows: Readonly<Record<string, Workflow>> = { sandbox: sandboxWorkflow };

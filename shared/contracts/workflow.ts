import type * as z from "zod";

/** A step of a workflow, which Step Functions invokes. The function is `tenantry-<stage>-<workflow>-<step>`. */
export interface TaskContract {
  /** In kebab-case, as the step. Names the handler: `functions/workflow/<workflow>/<step>.ts`. */
  readonly workflow: string;
  readonly step: string;
  readonly summary: string;
  /** At most 256 KiB of JSON, as the output. */
  readonly input: z.ZodType<object>;
  readonly output: z.ZodType<object>;
}

/** Keeps the literal types, so that handlers are checked against the declaration. */
export const defineTask = <const C extends TaskContract>(contract: C): C => contract;

/** The source file of a task's handler. */
export const taskHandler = ({ workflow, step }: TaskContract): string => `functions/workflow/${workflow}/${step}.ts`;

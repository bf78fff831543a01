import type * as z from "zod";

/** The interval between two runs, in whole units. */
export type Rate = { readonly minutes: number } | { readonly hours: number } | { readonly days: number };

/**
 * A recurring job, which EventBridge Scheduler starts. The function is `tenantry-<stage>-<job>`. It has no input, and a
 * run that fails is not repeated: the next one does what was left.
 */
export interface JobContract {
  /** In kebab-case, at most 40 characters. Names the handler: `functions/schedule/<job>.ts`. */
  readonly job: string;
  readonly summary: string;
  readonly rate: Rate;
  /** What `aws lambda invoke` shows to an operator who runs the job by hand. */
  readonly output: z.ZodType<object>;
}

/** Keeps the literal types, so that handlers are checked against the declaration. */
export const defineJob = <const C extends JobContract>(contract: C): C => contract;

/** The source file of a job's handler. */
export const jobHandler = ({ job }: JobContract): string => `functions/schedule/${job}.ts`;

/**
 * What schedules invoke that are made at run time. The function is `tenantry-<stage>-<work>`. EventBridge Scheduler and
 * Lambda deliver at least once, late, and in any order; Lambda repeats a run that fails twice.
 */
export interface ScheduledWorkContract {
  /** In kebab-case, at most 40 characters. Names the handler: `functions/schedule/<work>.ts`. */
  readonly work: string;
  readonly summary: string;
  /** At most 256 KiB of JSON. */
  readonly input: z.ZodType<object>;
  readonly output: z.ZodType<object>;
}

/** Keeps the literal types, so that handlers are checked against the declaration. */
export const defineScheduledWork = <const C extends ScheduledWorkContract>(contract: C): C => contract;

/** The source file of its handler. */
export const scheduledWorkHandler = ({ work }: ScheduledWorkContract): string => `functions/schedule/${work}.ts`;

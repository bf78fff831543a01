import type { Context } from "aws-lambda";
import type * as z from "zod";
import type { JobContract } from "#contracts/schedules";
import { answerInvocation, type Run } from "../invocation.ts";

type Work<O extends z.ZodType> = (run: Run) => Promise<z.input<O>>;

/**
 * Makes a Lambda for a recurring job of a contract and its work. Scheduler delivers at least once, so that a run may
 * begin while another one is running.
 */
export const scheduled =
  <O extends z.ZodType<object>>({ job, output }: JobContract & { output: O }) =>
  (work: Work<O>) =>
  (event: unknown, context?: Context): Promise<z.output<O>> =>
    answerInvocation(
      { read: () => undefined, output, message: "job", facts: { job }, work: (_, run) => work(run) },
      event,
      context,
    );

import type { Context } from "aws-lambda";
import type * as z from "zod";
import type { ScheduledWorkContract } from "#contracts/schedules";
import { answerInvocation, parse, type Run } from "../invocation.ts";

type Work<I extends z.ZodType, O extends z.ZodType> = (input: z.output<I>, run: Run) => Promise<z.input<O>>;

/**
 * Makes a Lambda for what schedules invoke which are made at run time. A delivery may come twice, late and out of
 * order. Lambda repeats a run that raises.
 */
export const scheduledWork =
  <I extends z.ZodType<object>, O extends z.ZodType<object>>(
    contract: ScheduledWorkContract & { input: I; output: O },
  ) =>
  (work: Work<I, O>) =>
  (event: unknown, context?: Context): Promise<z.output<O>> => {
    const { work: name, input, output } = contract;
    return answerInvocation(
      { read: (given) => parse(input, given), output, message: "job", facts: { work: name }, work },
      event,
      context,
    );
  };

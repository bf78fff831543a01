import type { Context } from "aws-lambda";
import * as z from "zod";
import type { TaskContract } from "#contracts/workflow";
import { answerInvocation, parse, type Run } from "../invocation.ts";

/** What the state of a task sends besides its input (infra/constructs/workflow-task.ts). */
const origin = z.object({
  /** The ARN. */
  execution: z.string(),
  /** 0 for the first one. A repeated delivery has the number of the attempt that it repeats. */
  attempt: z.number().int(),
});

const received = origin.extend({ input: z.unknown() });

type TaskRun = Run & z.output<typeof origin>;

type Work<I extends z.ZodType, O extends z.ZodType> = (input: z.output<I>, run: TaskRun) => Promise<z.input<O>>;

/**
 * Makes a Lambda for a step of a workflow of a contract and its work. It may run more than once for one state. A
 * fault's code is the error that Retry and Catch of the state match.
 */
export const task =
  <I extends z.ZodType<object>, O extends z.ZodType<object>>(contract: TaskContract & { input: I; output: O }) =>
  (work: Work<I, O>) =>
  (event: unknown, context?: Context): Promise<z.output<O>> => {
    const { workflow, step, input, output } = contract;
    const { execution, attempt } = origin.safeParse(event).data ?? {};
    return answerInvocation(
      {
        read: (envelope) => {
          const { input: given, ...from } = parse(received, envelope);
          return { given: parse(input, given), from };
        },
        output,
        message: "task",
        facts: { workflow, step, execution, attempt },
        work: ({ given, from }, run) => work(given, { ...run, ...from }),
      },
      event,
      context,
    );
  };

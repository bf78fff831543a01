import type { Context } from "aws-lambda";
import type * as z from "zod";
import type { OperationContract } from "#contracts/operations";
import { answerInvocation, parse, type Run } from "../invocation.ts";

type Work<C extends OperationContract> = (input: z.output<C["input"]>, run: Run) => Promise<z.input<C["output"]>>;

/** Makes a Lambda for operators of a contract and its work. The event is the input. */
export const operation =
  <const C extends OperationContract>({ operation, input, output }: C) =>
  (work: Work<C>) =>
  (event: unknown, context?: Context): Promise<z.output<C["output"]>> =>
    answerInvocation<z.output<C["input"]>, C["output"]>(
      { read: (given) => parse<C["input"]>(input, given), output, message: "operation", facts: { operation }, work },
      event,
      context,
    );

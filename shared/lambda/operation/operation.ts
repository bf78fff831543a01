import type { Context } from "aws-lambda";
import * as z from "zod";
import type { OperationContract } from "#contracts/operations";
import { elapsedMillis } from "#shared/foundation/clock";
import { Fault, type Issue } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { issuesOf } from "../http/issues.ts";
import { toFault } from "../http/problem.ts";

/** Facts of the run besides its input. */
interface Run {
  /** The id in the log line and in the audit entries of its changes. */
  readonly request_id: string | undefined;
  /** Milliseconds until Lambda stops the function. */
  readonly remaining: () => number;
}

/** Where there is no Lambda context. */
const NO_LIMIT_MS = 900_000;

type Work<C extends OperationContract> = (input: z.output<C["input"]>, run: Run) => Promise<z.input<C["output"]>>;

/** Without the refused values, which may be passwords. */
const sentenceOf = ({ loc, msg }: Issue): string => `${loc.slice(1).join(".") || "input"}: ${msg}`;

/** Lambda returns an error's name and message, which `aws lambda invoke` prints. */
const errorOf = (fault: Fault): Error => {
  const error = new Error(fault.issues.length === 0 ? fault.message : fault.issues.map(sentenceOf).join(" "));
  error.name = fault.code;
  return error;
};

const parse = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new Fault("validation_failed", { issues: issuesOf("body", parsed.error) });
};

/**
 * Makes a Lambda without a route of a contract and its work. The event is the input. A failure is an error whose name
 * is the fault's code. Logs one structured line, without input and output.
 */
export const operation =
  <const C extends OperationContract>(contract: C) =>
  (work: Work<C>) =>
  async (event: unknown, context?: Context): Promise<z.output<C["output"]>> => {
    const start = elapsedMillis();
    const line = () => ({
      operation: contract.operation,
      request_id: context?.awsRequestId,
      ms: Math.round((elapsedMillis() - start) * 100) / 100,
    });
    try {
      const remaining = () => context?.getRemainingTimeInMillis() ?? NO_LIMIT_MS;
      const run = { request_id: context?.awsRequestId, remaining };
      const answer = z.parse<C["output"]>(contract.output, await work(parse<C["input"]>(contract.input, event), run));
      log.info(line(), "operation");
      return answer;
    } catch (error) {
      const fault = toFault(error);
      const cause = fault.status >= 500 ? (fault.cause ?? fault) : undefined;
      log[fault.status >= 500 ? "error" : "warn"]({ ...line(), code: fault.code, err: cause }, "operation");
      throw errorOf(fault);
    }
  };

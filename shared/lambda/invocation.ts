import type { Context } from "aws-lambda";
import * as z from "zod";
import { elapsedMillis } from "#shared/foundation/clock";
import { Fault, type Issue } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { issuesOf } from "./http/issues.ts";
import { toFault } from "./http/problem.ts";

/** Facts of the run besides its input. */
export interface Run {
  /** The id in the log line and in the audit entries of its changes. */
  readonly request_id: string | undefined;
  /** Milliseconds until Lambda stops the function. */
  readonly remaining: () => number;
}

/** Where there is no Lambda context. */
const NO_LIMIT_MS = 900_000;

/** Without the refused values, which may be passwords. */
const sentenceOf = ({ loc, msg }: Issue): string => `${loc.slice(1).join(".") || "input"}: ${msg}`;

/** Lambda returns an error's name and message: `aws lambda invoke` prints them, and a state machine matches the name. */
const errorOf = (fault: Fault): Error => {
  const error = new Error(fault.issues.length === 0 ? fault.message : fault.issues.map(sentenceOf).join(" "));
  error.name = fault.code;
  return error;
};

/** @throws Fault validation_failed */
export const parse = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new Fault("validation_failed", { issues: issuesOf("body", parsed.error) });
};

interface Invocation<I, O extends z.ZodType> {
  readonly read: (event: unknown) => I;
  readonly output: O;
  /** What the log line is of. */
  readonly message: "job" | "operation" | "task";
  /** Of the log line. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly work: (input: I, run: Run) => Promise<z.input<O>>;
}

/**
 * Answers a direct invocation, without a route. A failure is an error whose name is the fault's code. Logs one
 * structured line, without input and output.
 */
export const answerInvocation = async <I, O extends z.ZodType>(
  { read, output, message, facts, work }: Invocation<I, O>,
  event: unknown,
  context: Context | undefined,
): Promise<z.output<O>> => {
  const start = elapsedMillis();
  const line = () => ({
    ...facts,
    request_id: context?.awsRequestId,
    ms: Math.round((elapsedMillis() - start) * 100) / 100,
  });
  try {
    const remaining = () => context?.getRemainingTimeInMillis() ?? NO_LIMIT_MS;
    const answer = z.parse(output, await work(read(event), { request_id: context?.awsRequestId, remaining }));
    log.info(line(), message);
    return answer;
  } catch (error) {
    const fault = toFault(error);
    const cause = fault.status >= 500 ? (fault.cause ?? fault) : undefined;
    log[fault.status >= 500 ? "error" : "warn"]({ ...line(), code: fault.code, err: cause }, message);
    throw errorOf(fault);
  }
};

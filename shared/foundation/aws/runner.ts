import { setTimeout } from "node:timers/promises";
import {
  type CheckAnswer,
  type CheckEvent,
  checkAnswer,
  type ExecutionError,
  type RunAnswer,
  type RunEvent,
  runAnswer,
} from "#contracts/runner";
import { elapsedMillis } from "../clock.ts";
import { env } from "../env.ts";
import { Fault } from "../faults.ts";
import { log } from "../log.ts";
import { inTime } from "./in-time.ts";
import { sentOnce } from "./sent-once.ts";

/** Milliseconds before a throttled invocation is tried again. Nothing has run then. */
const THROTTLE_DELAYS = [100, 300];

const open = async () => {
  const sdk = await import("@aws-sdk/client-lambda");
  return { ...sdk, client: new sdk.LambdaClient(sentOnce) };
};
let opened: ReturnType<typeof open> | undefined;

/** What the runner gave: its answer, or the error with which its environment ended. */
type Reply = { readonly answer: unknown } | { readonly broken: ExecutionError };

const invoke = async (organizationId: string, event: RunEvent | CheckEvent, within: number): Promise<Reply> => {
  opened ??= open();
  const { client, InvokeCommand, TooManyRequestsException } = await opened;
  const command = new InvokeCommand({
    FunctionName: env.runnerFunctionName(),
    InvocationType: "RequestResponse",
    TenantId: organizationId,
    Payload: Buffer.from(JSON.stringify(event)),
  });
  const end = elapsedMillis() + within;
  for (let attempt = 0; ; attempt++) {
    const left = Math.ceil(end - elapsedMillis());
    try {
      if (left <= 0) return { broken: tooLate(within) };
      const { FunctionError, Payload } = await inTime(left, (abortSignal) => client.send(command, { abortSignal }));
      const text = Payload?.transformToString() ?? "";
      if (FunctionError === undefined) return { answer: parse(text) };
      log.warn(
        { organization: organizationId, runner: text.slice(0, 2_000) },
        "the runner has ended without an answer",
      );
      return { broken: killed("The process that ran the code has ended before the code did.") };
    } catch (error) {
      if (error instanceof TooManyRequestsException) {
        const delay = THROTTLE_DELAYS[attempt];
        if (delay === undefined || delay > left) throw new Fault("too_many_functions", { cause: error });
        await setTimeout(delay);
      } else if (isReset(error)) return { broken: killed("The connection to the process that ran the code broke.") };
      else if (error instanceof Error && error.name === "TimeoutError") return { broken: tooLate(within) };
      else throw new Fault("dependency_unavailable", { cause: error });
    }
  }
};

/** The SDK calls a broken connection a TimeoutError too. Nobody knows then whether the code has run. */
const isReset = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const killed = (message: string): ExecutionError => ({ kind: "killed", type: "Killed", message });

const tooLate = (within: number): ExecutionError => ({
  kind: "timeout",
  type: "Timeout",
  message: `The code gave no answer within ${within} ms.`,
});

/**
 * Runs tenants' code, or checks it, in an execution environment of the organization. `within`: whole milliseconds, more
 * than the event's `timeout_ms`. A run that gives no answer has failed, with the kind `killed` or `timeout`.
 * @throws Fault too_many_functions, dependency_unavailable
 */
export function invokeRunner(organizationId: string, event: RunEvent, within: number): Promise<RunAnswer>;
export function invokeRunner(organizationId: string, event: CheckEvent, within: number): Promise<CheckAnswer>;
export async function invokeRunner(
  organizationId: string,
  event: RunEvent | CheckEvent,
  within: number,
): Promise<RunAnswer | CheckAnswer> {
  const began = elapsedMillis();
  const reply = await invoke(organizationId, event, within);
  if (event.kind === "check") {
    const checked = checkAnswer.safeParse("answer" in reply ? reply.answer : undefined);
    if (checked.success) return checked.data;
    throw new Fault("dependency_unavailable", { cause: "broken" in reply ? reply.broken : checked.error });
  }
  const ran = runAnswer.safeParse("answer" in reply ? reply.answer : undefined);
  if (ran.success) return ran.data;
  if (!("broken" in reply))
    log.error({ organization: organizationId, err: ran.error }, "an answer of the runner is invalid");
  return {
    status: "failed",
    error: "broken" in reply ? reply.broken : killed("The answer of the process that ran the code is invalid."),
    lines: [],
    lines_cut: false,
    calls: 0,
    duration_ms: Math.round(elapsedMillis() - began),
  };
}

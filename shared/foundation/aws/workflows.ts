import { env } from "../env.ts";
import { inTime } from "./in-time.ts";

/** Longer than Step Functions usually takes to answer. */
const PATIENCE_MS = 5_000;

/** Loaded when it is needed, because few requests need it. */
const load = () => import("@aws-sdk/client-sfn");

/**
 * Starts an execution, and gives its ARN. The name makes it idempotent: nothing is started if an execution has it, also
 * one that has ended. Names have at most 80 characters.
 */
export const startExecution = async (workflow: string, name: string, input: object): Promise<string> => {
  const { SFNClient, StartExecutionCommand, ExecutionAlreadyExists } = await load();
  const stateMachineArn = env.stateMachineArn(workflow);
  const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
  try {
    await inTime(PATIENCE_MS, (abortSignal) => new SFNClient({}).send(command, { abortSignal }));
  } catch (error) {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  }
  return `${stateMachineArn.replace(":stateMachine:", ":execution:")}:${name}`;
};

interface ExecutionState {
  readonly status: "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED" | "PENDING_REDRIVE";
  /** Of an execution that did not succeed: the name of its error, such as the code of a fault. */
  readonly error: string | undefined;
}

/** The state of an execution; undefined if there is none. Step Functions forgets it 90 days after its end. */
export const describeExecution = async (executionArn: string): Promise<ExecutionState | undefined> => {
  const { SFNClient, DescribeExecutionCommand, ExecutionDoesNotExist } = await load();
  const command = new DescribeExecutionCommand({ executionArn });
  try {
    const { status, error } = await inTime(PATIENCE_MS, (abortSignal) =>
      new SFNClient({}).send(command, { abortSignal }),
    );
    if (status === undefined) throw new Error(`Step Functions gave no status of ${executionArn}.`);
    return { status, error };
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
};

/**
 * Ends an execution, which then runs no further state and no Catch. A task that is running goes on. Nothing happens if
 * the execution has ended or does not exist.
 */
export const stopExecution = async (
  executionArn: string,
  why: { error?: string; cause?: string } = {},
): Promise<void> => {
  const { SFNClient, StopExecutionCommand, ExecutionDoesNotExist } = await load();
  const command = new StopExecutionCommand({ executionArn, ...why });
  try {
    await inTime(PATIENCE_MS, (abortSignal) => new SFNClient({}).send(command, { abortSignal }));
  } catch (error) {
    if (!(error instanceof ExecutionDoesNotExist)) throw error;
  }
};

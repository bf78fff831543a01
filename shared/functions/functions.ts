/** Runs the code of an organization. `context/context.ts` answers the calls of running code. */
export { answerOf } from "./answer.ts";
export { type Executed, execute, type Job } from "./execute.ts";
export { type Beginning, type Begun, beginExecution, leave } from "./executions/begin.ts";
export { endExecution } from "./executions/end.ts";
export { type Execution, parentOf } from "./executions/execution.ts";
export { type Ending, loggable } from "./executions/log-record.ts";
export { type LogRecord, readExecution } from "./executions/read.ts";
export { type Reconciled, reconcileExecutions } from "./executions/reconcile.ts";
export { noteRefused } from "./executions/refused.ts";
export { bearerToken } from "./executions/token.ts";
export { beginLocalExecution, endLocalExecution } from "./local.ts";
export type { ExecutionError, Origin, Outcome, ParentExecution, Place } from "./outcome.ts";
export { type Replayer, type Replayers, replay } from "./replay.ts";
export { runFunction } from "./run-function.ts";
export { replayTrigger, runQueuedTrigger } from "./triggers/run-queued.ts";

/** Runs the code of an organization. `context/context.ts` answers the calls of running code. */
export { answerOf } from "./answer.ts";
export { beginExecution, leave } from "./executions/begin.ts";
export { endExecution } from "./executions/end.ts";
export { type Execution, parentOf } from "./executions/execution.ts";
export { loggable } from "./executions/log-record.ts";
export { readExecution } from "./executions/read.ts";
export { reconcileExecutions } from "./executions/reconcile.ts";
export { noteRefused, queuedTenant } from "./executions/refused.ts";
export { bearerToken } from "./executions/token.ts";
export { beginLocalExecution, endLocalExecution } from "./local.ts";
export type { ExecutionError, Origin, Outcome, ParentExecution } from "./outcome.ts";
export { type Replayer, replay } from "./replay.ts";
export { runFunction } from "./run-function.ts";
export { queuedForReceived } from "./triggers/received.ts";
export { replayTrigger, runQueuedTrigger } from "./triggers/run-queued.ts";

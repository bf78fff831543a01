import * as z from "zod";
import { account } from "../account.ts";
import { atTime } from "../clock.ts";
import { fill, take } from "./data-flow.ts";
import type { TaskState } from "./definition.ts";
import { untilHalted } from "./halt.ts";
import type { Entry } from "./journal.ts";
import type { Data } from "./json-path.ts";
import { once, type Scope } from "./scope.ts";
import { payload, runtimeError, StateError } from "./state-error.ts";

const lambda = { resourceType: "lambda", resource: "invoke" };
const scheduledData = z.object({ parameters: z.string() });
const failure = z.object({ error: z.string(), cause: z.string().optional() });
const success = z.object({ output: z.string() });

/** The result of one attempt. An attempt whose end is recorded is not made again. @throws StateError */
export const attemptTask = async (state: TaskState, data: Data, key: string, scope: Scope): Promise<unknown> => {
  const limit = limitOf(state, data);
  const scheduled = once(scope, {
    key: `${key}.scheduled`,
    type: "TaskScheduled",
    details: {
      ...lambda,
      region: account.region,
      parameters: payload(fill(state.Parameters, data), "The input of the task"),
      ...(limit !== undefined && { timeoutInSeconds: limit }),
    },
  });
  once(scope, { key: `${key}.started`, type: "TaskStarted", details: lambda });
  const { parameters } = scheduledData.parse(scheduled.details);
  const done = scope.journal.find(`${key}.done`) ?? (await invoke(parameters, limit, key, scope));
  if (done.event !== undefined) scope.last = done.event;
  if (done.type === "TaskSucceeded") return JSON.parse(success.parse(done.details).output);
  const { error, cause } = failure.parse(done.details);
  throw new StateError(error, cause);
};

const limitOf = (state: TaskState, data: Data): number | undefined => {
  if (state.TimeoutSecondsPath === undefined) return state.TimeoutSeconds;
  const seconds = take(state.TimeoutSecondsPath, data);
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds > 0) return seconds;
  throw runtimeError(`The TimeoutSecondsPath ${state.TimeoutSecondsPath} does not give a positive integer.`);
};

const invoke = async (parameters: string, limit: number | undefined, key: string, scope: Scope): Promise<Entry> => {
  const end = (type: string, details: Record<string, unknown>): Entry =>
    once(scope, { key: `${key}.done`, type, details: { ...lambda, ...details } });
  let cancel = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    if (limit === undefined) return;
    cancel = atTime(scope.clock, scope.clock.now() + limit * 1000, () => reject(new StateError("States.Timeout")));
  });
  try {
    const result = await untilHalted(Promise.race([scope.invoke(JSON.parse(parameters)), late]), scope.signal);
    return end("TaskSucceeded", { output: payload(result, "The output of the task") });
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const type = error.error === "States.Timeout" ? "TaskTimedOut" : "TaskFailed";
    return end(type, { error: error.error, ...(error.reason !== undefined && { cause: error.reason }) });
  } finally {
    cancel();
  }
};

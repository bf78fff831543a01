import * as z from "zod";
import { type Outcome, withAttempts } from "./attempts.ts";
import { attemptMap, attemptParallel, type RunBranch } from "./branches.ts";
import { holds } from "./choice.ts";
import { combine, fill, take } from "./data-flow.ts";
import type {
  ChoiceState,
  FailState,
  MapState,
  ParallelState,
  PassState,
  State,
  TaskState,
  WaitState,
} from "./definition.ts";
import { Halted, sleepUntil } from "./halt.ts";
import type { Data } from "./json-path.ts";
import { once, type Scope } from "./scope.ts";
import { payload, runtimeError, StateError } from "./state-error.ts";
import { attemptTask } from "./task.ts";

/** One state in its place. */
interface Visit<S extends State> {
  readonly name: string;
  readonly state: S;
  readonly key: string;
  /** The state's input before InputPath. */
  readonly raw: unknown;
  readonly enteredAt: number;
  readonly scope: Scope;
}

const exited = z.object({ output: z.string() });
const continued = z.object({ next: z.string().optional() });

/**
 * Runs a branch to its end, and gives its output. It begins anew after a restart; states whose end is in the journal
 * are not run again. @throws StateError if a state fails without a Catch; Halted if it was ended from outside
 */
export const runBranch: RunBranch = async (branch, input, scope) => {
  let name = branch.StartAt;
  let value = input;
  for (let step = 0; ; step++) {
    const state = branch.States[name];
    if (state === undefined) throw runtimeError(`There is no state ${name}.`);
    const { output, next } = await runState(name, state, value, `${scope.prefix}${step}`, scope);
    if (next === undefined) return output;
    name = next;
    value = output;
  }
};

const runState = async (name: string, state: State, raw: unknown, key: string, scope: Scope): Promise<Outcome> => {
  if (scope.signal.aborted) throw new Halted();
  const known = scope.journal.find(`${key}.exited`);
  if (known !== undefined) {
    if (known.event !== undefined) scope.last = known.event;
    return { output: JSON.parse(exited.parse(known.details).output), next: continued.parse(known.data).next };
  }
  const entered = once(scope, {
    key: `${key}.entered`,
    type: `${state.Type}StateEntered`,
    details: { name, input: payload(raw, `The input of the state ${name}`) },
  });
  const { output, next } = await work({ name, state, key, raw, enteredAt: entered.at, scope });
  once(scope, {
    key: `${key}.exited`,
    type: `${state.Type}StateExited`,
    details: { name, output: payload(output, `The output of the state ${name}`) },
    data: { next },
  });
  return { output, next };
};

const work = (visit: Visit<State>): Outcome | Promise<Outcome> => {
  const { state } = visit;
  switch (state.Type) {
    case "Task":
    case "Parallel":
    case "Map":
      return workWithRetry({ ...visit, state });
    case "Wait":
      return wait({ ...visit, state });
    case "Pass":
      return pass({ ...visit, state });
    case "Choice":
      return choose({ ...visit, state });
    case "Succeed": {
      const data = dataOf(visit);
      return { output: take(state.OutputPath, data), next: undefined };
    }
    case "Fail":
      return fail({ ...visit, state });
  }
};

/** The effective input and the context object of a state. */
const dataOf = ({ name, state, raw, enteredAt, scope }: Visit<State>, retries = 0): Data => {
  const State = { EnteredTime: new Date(enteredAt).toISOString(), Name: name, RetryCount: retries };
  const context = { ...scope.context, State };
  return { input: "InputPath" in state ? take(state.InputPath, { input: raw, context }) : raw, context };
};

const workWithRetry = (visit: Visit<TaskState | ParallelState | MapState>): Promise<Outcome> => {
  const { name, state, key, raw, scope } = visit;
  return withAttempts(state, { key, raw, scope }, async (attemptKey, number) => {
    const data = dataOf(visit, number);
    const result = await resultOf(name, state, data, attemptKey, scope);
    const selected =
      state.ResultSelector === undefined ? result : fill(state.ResultSelector, { ...data, input: result });
    const input = combine(raw, selected, state.ResultPath);
    const output = take(state.OutputPath, { ...data, input });
    payload(output, `The output of the state ${name}`);
    return output;
  });
};

const resultOf = (
  name: string,
  state: TaskState | ParallelState | MapState,
  data: Data,
  key: string,
  scope: Scope,
): Promise<unknown> => {
  if (state.Type === "Task") return attemptTask(state, data, key, scope);
  if (state.Type === "Parallel") return attemptParallel({ state, name, data, key, scope, run: runBranch });
  return attemptMap({ state, name, data, key, scope, run: runBranch });
};

const pass = (visit: Visit<PassState>): Outcome => {
  const { state, raw } = visit;
  const data = dataOf(visit);
  const filled = state.Parameters === undefined ? data.input : fill(state.Parameters, data);
  const result = state.Result === undefined ? filled : state.Result;
  const input = combine(raw, result, state.ResultPath);
  return { output: take(state.OutputPath, { ...data, input }), next: state.Next };
};

const choose = (visit: Visit<ChoiceState>): Outcome => {
  const { state, name } = visit;
  const data = dataOf(visit);
  const next = state.Choices.find((rule) => holds(rule, data))?.Next ?? state.Default;
  if (next === undefined) {
    throw new StateError("States.NoChoiceMatched", `Failed to transition out of the state ${name}: no rule holds.`);
  }
  return { output: take(state.OutputPath, data), next };
};

const wait = async (visit: Visit<WaitState>): Promise<Outcome> => {
  const { state, enteredAt, scope } = visit;
  const data = dataOf(visit);
  await sleepUntil(scope.clock, endOf(state, data, enteredAt), scope.signal);
  return { output: take(state.OutputPath, data), next: state.Next };
};

const endOf = (state: WaitState, data: Data, enteredAt: number): number => {
  const seconds = state.SecondsPath === undefined ? state.Seconds : take(state.SecondsPath, data);
  if (typeof seconds === "number" && seconds >= 0) return enteredAt + seconds * 1000;
  const time = state.TimestampPath === undefined ? state.Timestamp : take(state.TimestampPath, data);
  const end = typeof time === "string" ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(end)) throw runtimeError("The path of the Wait gives neither seconds nor a timestamp.");
  return end;
};

const fail = (visit: Visit<FailState>): never => {
  const { state } = visit;
  const data = dataOf(visit);
  const error = state.ErrorPath === undefined ? state.Error : String(take(state.ErrorPath, data));
  const cause = state.CausePath === undefined ? state.Cause : String(take(state.CausePath, data));
  throw new StateError(error ?? "", cause);
};

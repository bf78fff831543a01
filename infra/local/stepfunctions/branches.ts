import * as z from "zod";
import { fill, take } from "./data-flow.ts";
import type { Branch, MapState, ParallelState } from "./definition.ts";
import { childOf, Halted } from "./halt.ts";
import type { Data } from "./json-path.ts";
import { once, type Scope } from "./scope.ts";
import { payload, runtimeError, StateError } from "./state-error.ts";

/** One attempt of a state with branches. */
interface Attempt<S> {
  readonly state: S;
  readonly name: string;
  readonly data: Data;
  readonly key: string;
  readonly scope: Scope;
  readonly run: RunBranch;
}

export type RunBranch = (branch: Branch, input: unknown, scope: Scope) => Promise<unknown>;

interface Part {
  readonly branch: Branch;
  readonly input: unknown;
  readonly context: Readonly<Record<string, unknown>>;
}

/** AWS runs at most so many iterations of an inline Map at a time. */
const mostConcurrent = 40;

/** The outputs of all branches. The first failure is that of the state, and ends the other branches. */
export const attemptParallel = async (attempt: Attempt<ParallelState>): Promise<unknown[]> => {
  const { state, data, key, scope, run } = attempt;
  const input = state.Parameters === undefined ? data.input : fill(state.Parameters, data);
  const started = once(scope, { key: `${key}.started`, type: "ParallelStateStarted", data: { input } });
  const recorded = z.object({ input: z.unknown() }).parse(started.data);
  const parts = state.Branches.map((branch) => ({ branch, input: recorded.input, context: scope.context }));
  return together(parts, { key, scope, run, name: "ParallelState", most: parts.length });
};

const startedMap = z.object({ items: z.array(z.unknown()), inputs: z.array(z.unknown()) });

/** The outputs of all iterations of an inline Map, in the order of the items. */
export const attemptMap = async (attempt: Attempt<MapState>): Promise<unknown[]> => {
  const { state, name, data, key, scope, run } = attempt;
  const started = scope.journal.find(`${key}.started`) ?? startMap(state, data, key, scope);
  if (started.event !== undefined) scope.last = started.event;
  const { items, inputs } = startedMap.parse(started.data);
  const parts = items.map((item, index) => ({
    branch: state.ItemProcessor,
    input: inputs[index],
    context: { ...scope.context, Map: { Item: { Index: index, Value: item } } },
  }));
  const most = state.MaxConcurrency === 0 ? mostConcurrent : Math.min(state.MaxConcurrency, mostConcurrent);
  return together(parts, { key, scope, run, name: "MapState", most, iterationsOf: name });
};

const startMap = (state: MapState, data: Data, key: string, scope: Scope) => {
  const items = take(state.ItemsPath, data);
  if (!Array.isArray(items)) throw runtimeError("Reference path of ItemsPath must point to array.");
  const context = typeof data.context === "object" ? data.context : {};
  const inputs = items.map((item: unknown, index) =>
    state.ItemSelector === undefined
      ? item
      : fill(state.ItemSelector, {
          input: data.input,
          context: { ...context, Map: { Item: { Index: index, Value: item } } },
        }),
  );
  for (const input of inputs) payload(input, "The input of an iteration");
  return once(scope, {
    key: `${key}.started`,
    type: "MapStateStarted",
    details: { length: items.length },
    data: { items, inputs },
  });
};

interface Together {
  readonly key: string;
  readonly scope: Scope;
  readonly run: RunBranch;
  /** Begins the types of the history events. */
  readonly name: "ParallelState" | "MapState";
  readonly most: number;
  /** The name of the Map state. Its iterations have events of their own. */
  readonly iterationsOf?: string;
}

const failure = z.object({ error: z.string(), cause: z.string().optional() });

const together = async (parts: readonly Part[], options: Together): Promise<unknown[]> => {
  const { key, scope, run, name, most, iterationsOf } = options;
  const ended = scope.journal.find(`${key}.failed`);
  if (ended !== undefined) {
    if (ended.event !== undefined) scope.last = ended.event;
    const { error, cause } = failure.parse(ended.data);
    throw new StateError(error, cause);
  }
  const siblings = childOf(scope.signal);
  const base = scope.last;
  const outputs: unknown[] = new Array(parts.length);
  const running = new Set<number>();
  let next = 0;

  const note = (inner: Scope, index: number, what: string): void => {
    if (iterationsOf === undefined) return;
    const details = { name: iterationsOf, index };
    once(inner, { key: `${inner.prefix}${what}`, type: `MapIteration${what}`, details });
  };
  const scopes = parts.map(
    ({ context }, index): Scope => ({
      ...scope,
      prefix: `${key}[${index}]/`,
      signal: siblings.signal,
      context,
      last: base,
    }),
  );
  const worker = async (): Promise<void> => {
    for (let index = next++; index < parts.length; index = next++) {
      const part = parts[index];
      const inner = scopes[index];
      if (part === undefined || inner === undefined) return;
      if (siblings.signal.aborted) throw new Halted();
      running.add(index);
      note(inner, index, "Started");
      try {
        outputs[index] = await run(part.branch, part.input, inner);
      } catch (error) {
        if (error instanceof StateError && !siblings.signal.aborted) {
          note(inner, index, "Failed");
          running.delete(index);
        }
        throw error;
      }
      note(inner, index, "Succeeded");
      running.delete(index);
      scope.last = inner.last;
    }
  };
  const workers = Array.from({ length: Math.min(most, parts.length) }, worker);
  try {
    await Promise.all(workers);
  } catch (error) {
    siblings.abort();
    await Promise.allSettled(workers);
    if (scope.signal.aborted) throw new Halted();
    if (!(error instanceof StateError)) throw error;
    for (const index of running) {
      const inner = scopes[index];
      if (inner !== undefined) note(inner, index, "Aborted");
    }
    const details = { error: error.error, ...(error.reason !== undefined && { cause: error.reason }) };
    once(scope, { key: `${key}.failed`, type: `${name}Failed`, data: details });
    throw error;
  } finally {
    siblings.release();
  }
  once(scope, { key: `${key}.succeeded`, type: `${name}Succeeded` });
  return outputs;
};

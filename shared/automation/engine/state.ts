import type { LoopFrame, Position } from "#shared/data/schema/automations/automations";
import { plainJson } from "./json.ts";
import { type NodeFailure, RunError } from "./node-error.ts";

/** Characters of the JSON of everything that a run keeps. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** What a run knows. All of it is JSON, so that it can wait in the database. Values are never changed in place. */
export interface RunState {
  readonly inputs: unknown;
  readonly vars: Readonly<Record<string, unknown>>;
  /** What each node has given, by its id: that of its last execution. */
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly error: (NodeFailure & { readonly node: string }) | null;
  readonly position: Position;
  /** The nodes that were executed. */
  readonly steps: number;
  /** The size of each value, by its name. */
  readonly sizes: Readonly<Record<string, number>>;
}

const framesSize = (frames: readonly LoopFrame[], sizes: RunState["sizes"]): number =>
  frames.reduce((sum, { loop }) => sum + (sizes[`loop ${loop}`] ?? 0), 0);

/** Raises `RunError` if the run would keep too much. */
const sized = (state: RunState, name: string, characters: number): RunState => {
  const sizes = { ...state.sizes, [name]: characters };
  const kept = Object.entries(sizes).filter(([key]) => !key.startsWith("loop "));
  const sum = kept.reduce((total, [, size]) => total + size, framesSize(state.position.frames, sizes));
  if (sum <= MOST_CHARACTERS) return { ...state, sizes };
  const message = `An automation may keep at most ${MOST_CHARACTERS} characters of JSON. "${name}" is too large for it.`;
  throw new RunError("limit", message);
};

export const firstState = (inputs: unknown, start: string): RunState => {
  const { value, characters } = plainJson(inputs);
  const position: Position = { node: start, frames: [] };
  const empty: RunState = { inputs: value, vars: {}, nodes: {}, error: null, position, steps: 0, sizes: {} };
  return sized(empty, "inputs", characters);
};

export const withOutput = (state: RunState, node: string, output: unknown): RunState => {
  const { value, characters } = plainJson(output);
  return sized({ ...state, nodes: { ...state.nodes, [node]: value } }, `nodes.${node}`, characters);
};

const withVariable = (state: RunState, name: string, given: unknown): RunState => {
  const { value, characters } = plainJson(given);
  return sized({ ...state, vars: { ...state.vars, [name]: value } }, `vars.${name}`, characters);
};

export const withVariables = (state: RunState, values: Readonly<Record<string, unknown>>): RunState => {
  let changed = state;
  for (const [name, given] of Object.entries(values)) changed = withVariable(changed, name, given);
  return changed;
};

export const withLoopItems = (state: RunState, loop: string, items: readonly unknown[]): RunState =>
  sized(state, `loop ${loop}`, plainJson(items).characters);

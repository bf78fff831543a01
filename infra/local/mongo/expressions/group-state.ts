import type { Maybe } from "../values/types.ts";
import type { Frame } from "./compile.ts";

export interface State {
  add(frame: Frame): void;
  value(): Maybe;
}

/** Creates the state of one group. */
export type Accumulator = () => State;

import type { Way } from "#contracts/automation-definition";
import type { AutomationNode, Definition } from "./definition.ts";
import { waysBetween } from "./graph.ts";

/** A loop that runs: its list, and the position in it. */
export interface LoopFrame {
  readonly loop: string;
  readonly items: readonly unknown[];
  readonly index: number;
}

/** Where a run is. The innermost loop is last. */
export interface Position {
  readonly node: string;
  readonly frames: readonly LoopFrame[];
}

export interface Program {
  readonly start: string;
  readonly node: (id: string) => AutomationNode;
  /** Undefined where no edge leads. */
  readonly leads: (from: string, way: Way) => string | undefined;
}

/** Raises an error for a definition without a trigger. The definition has been checked. */
export const programOf = (definition: Definition): Program => {
  const nodes = new Map(definition.nodes.map((node) => [node.id, node]));
  const ways = waysBetween(definition);
  const trigger = definition.nodes.find(({ type }) => type === "trigger");
  if (trigger === undefined) throw new Error("The automation has no trigger.");
  return {
    start: trigger.id,
    node: (id) => {
      const node = nodes.get(id);
      if (node === undefined) throw new Error(`The automation has no node "${id}".`);
      return node;
    },
    leads: (from, way) => ways.get(from)?.get(way),
  };
};

/** What a node has come to: the way on, or the items of a loop that begins. */
export type NodeResult = { readonly way: Way } | { readonly items: readonly unknown[] };

/** Whether the position is at a loop that runs already: it goes to its next item. */
export const runningLoop = ({ node, frames }: Position): LoopFrame | undefined => {
  const last = frames.at(-1);
  return last?.loop === node ? last : undefined;
};

/** The frames and the way on from a loop whose item `frame.index` is next. */
const intoLoop = (frame: LoopFrame, outer: readonly LoopFrame[]): { way: Way; frames: readonly LoopFrame[] } =>
  frame.index < frame.items.length ? { way: "each", frames: [...outer, frame] } : { way: "done", frames: outer };

const proceed = (position: Position, result: NodeResult): { way: Way; frames: readonly LoopFrame[] } => {
  const { node, frames } = position;
  const running = runningLoop(position);
  if (running !== undefined) return intoLoop({ ...running, index: running.index + 1 }, frames.slice(0, -1));
  if ("items" in result) return intoLoop({ loop: node, items: result.items, index: 0 }, frames);
  return { way: result.way, frames };
};

/** The next position, or null where no edge leads: after a return, and after an error that nothing handles. */
export const advance = ({ leads }: Program, position: Position, result: NodeResult): Position | null => {
  const { way, frames } = proceed(position, result);
  const node = leads(position.node, way);
  return node === undefined ? null : { node, frames };
};

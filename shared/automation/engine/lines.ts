import type { AutomationNode } from "#shared/data/schema/automations/automations";
import { elapsedMillis, now } from "#shared/foundation/clock";
import { loggable } from "#shared/functions/functions";
import type { NodeDone } from "../nodes/node.ts";
import type { NodeFailure } from "./node-error.ts";

/** What the log says of one execution of a node. */
export interface NodeLine {
  readonly at: string;
  readonly level: "info" | "error";
  readonly message: string;
  readonly node: string;
  readonly type: string;
  readonly status: "completed" | "failed" | "waiting";
  readonly ms: number;
  readonly inputs?: unknown;
  readonly output?: unknown;
  readonly error?: NodeFailure;
}

/** Bytes of the JSON of what one node was given, and of what it gave. */
const SHOWN_BYTES = 2_000;
/** Characters of the JSON of all lines. Further lines have no inputs and outputs. */
const MOST_CHARACTERS = 256 * 1024;

/** Measures one node, and writes its line. */
export const beginLine = ({ id, type, name }: AutomationNode) => {
  const at = now();
  const start = elapsedMillis();
  const line = (status: NodeLine["status"], facts: Partial<NodeLine>): NodeLine => {
    const ms = Math.round((elapsedMillis() - start) * 100) / 100;
    const { error } = facts;
    const title = name === undefined ? `"${id}"` : `"${name}"`;
    return {
      at: at.toISOString(),
      level: error === undefined ? "info" : "error",
      message: error === undefined ? `${title} (${type}) ${status}.` : `${title} (${type}) failed: ${error.message}`,
      node: id,
      type,
      status,
      ms,
      ...facts,
    };
  };
  return {
    done: ({ inputs, output, until }: NodeDone): NodeLine =>
      line(until === undefined ? "completed" : "waiting", {
        ...(inputs !== undefined && { inputs: loggable(inputs, SHOWN_BYTES).shown }),
        ...(output !== undefined && { output: loggable(output, SHOWN_BYTES).shown }),
      }),
    failed: (error: NodeFailure): NodeLine => line("failed", { error }),
  };
};

/** The lines of a run. */
export interface NodeLines {
  readonly all: readonly NodeLine[];
  readonly characters: number;
}

export const noLines: NodeLines = { all: [], characters: 0 };

export const withLine = ({ all, characters }: NodeLines, line: NodeLine): NodeLines => {
  const { inputs: _, output: __, ...short } = line;
  const kept = characters > MOST_CHARACTERS ? short : line;
  return { all: [...all, kept], characters: characters + JSON.stringify(kept).length };
};

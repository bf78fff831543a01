import { Fault, type Issue } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";

/** Why a node failed, as the automation sees it in `error`. */
export interface NodeFailure {
  /** The code of a fault, the name of an exception of a function, or `expression`. */
  readonly type: string;
  readonly message: string;
}

/** A failure of a node, which its error edge can handle. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** A failure of the whole run, which no error edge handles. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

const MOST_ISSUES = 5;

/** Without the refused values. */
const sentenceOf = ({ loc, msg }: Issue): string => {
  const place = loc.slice(1).join(".");
  return place === "" ? msg : `${place}: ${msg}`;
};

const messageOf = (fault: Fault): string => {
  if (fault.issues.length === 0) return fault.message;
  const more = fault.issues.length - MOST_ISSUES;
  const shown = fault.issues.slice(0, MOST_ISSUES).map(sentenceOf);
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(" ");
};

/** What an exception of a node means for the automation. Raises a `RunError` again. */
export const failureOf = (error: unknown, facts: Readonly<Record<string, unknown>>): NodeFailure => {
  if (error instanceof RunError) throw error;
  if (error instanceof NodeError) return { type: error.type, message: error.message };
  if (error instanceof Fault) return { type: error.code, message: messageOf(error) };
  log.error({ ...facts, err: error }, "a node of an automation failed");
  const { code, message } = new Fault("internal_error");
  return { type: code, message };
};

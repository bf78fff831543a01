import { automationLimits } from "#contracts/automation-definition";
import { type AutomationNode, advance, type Program, runningLoop } from "#shared/data/schema/automations/automations";
import { nowMillis } from "#shared/foundation/clock";
import type { ParentExecution } from "#shared/functions/functions";
import type { Tenant } from "#shared/tenant/tenant";
import type { NodeDone } from "../nodes/node.ts";
import { executeNode, isPure } from "../nodes/nodes.ts";
import { evaluationOf } from "./expressions.ts";
import { beginLine, type NodeLines, withLine } from "./lines.ts";
import { failureOf, RunError } from "./node-error.ts";
import { type RunState, withLoopItems, withOutput, withVariables } from "./state.ts";

/** What a run needs besides its state. */
export interface RunSetting {
  readonly program: Program;
  readonly execution: ParentExecution;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** The tenant as the run began. */
  readonly tenant: Tenant;
  /** The tenant with the rights of this moment. Raises `RunError` if the user may not act any more. */
  readonly open: () => Promise<Tenant>;
  /** Stores where the run is, before a node that takes effect. Raises `RunError` if the run was ended meanwhile. */
  readonly note: (node: string, lines: NodeLines) => Promise<void>;
}

/** How a run has stopped. */
export type Stop = { readonly lines: NodeLines } & (
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "waiting"; readonly until: Date; readonly state: RunState; readonly node: string }
  | { readonly kind: "failed"; readonly type: string; readonly message: string; readonly node: string }
);

const refuseEnd = ({ deadline }: RunSetting, { steps }: RunState): void => {
  if (steps >= automationLimits.steps) {
    throw new RunError("limit", `An automation may execute at most ${automationLimits.steps} nodes.`);
  }
  if (nowMillis() >= deadline) throw new RunError("timeout", "The automation ran out of time.");
};

const execute = async (setting: RunSetting, node: AutomationNode, state: RunState, lines: NodeLines) => {
  const pure = isPure(node);
  if (!pure) await setting.note(node.id, lines);
  const tenant = pure ? setting.tenant : await setting.open();
  const { execution, deadline } = setting;
  const evaluation = await evaluationOf(state, tenant.caller);
  return executeNode(node, { tenant, evaluation, execution, deadline });
};

/** The state after a node, still at its position. */
const after = (state: RunState, node: AutomationNode, done: NodeDone): RunState => {
  const counted = { ...state, steps: state.steps + 1 };
  const told = done.output === undefined ? counted : withOutput(counted, node.id, done.output);
  const assigned = done.assigned === undefined ? told : withVariables(told, done.assigned);
  return "items" in done.result ? withLoopItems(assigned, node.id, done.result.items) : assigned;
};

/** The state at the next node, or null where no edge leads. */
const onwards = (program: Program, state: RunState, result: NodeDone["result"]): RunState | null => {
  const position = advance(program, state.position, result);
  return position === null ? null : { ...state, position };
};

type Stepped = { readonly state: RunState; readonly lines: NodeLines } | Stop;

const step = async (setting: RunSetting, state: RunState, lines: NodeLines): Promise<Stepped> => {
  const { program } = setting;
  const node = program.node(state.position.node);
  refuseEnd(setting, state);
  if (runningLoop(state.position) !== undefined) {
    const next = onwards(program, state, { way: "next" });
    if (next === null) throw new RunError("invalid", `No edge leads on from "${node.id}".`);
    return { state: next, lines };
  }
  const line = beginLine(node);
  let done: NodeDone;
  let changed: RunState;
  try {
    done = await execute(setting, node, state, lines);
    changed = after(state, node, done);
  } catch (error) {
    const failure = failureOf(error, { organization: setting.tenant.organization_id, node: node.id });
    const told = withLine(lines, line.failed(failure));
    const failed = { ...state, steps: state.steps + 1, error: { ...failure, node: node.id } };
    const handled = onwards(program, failed, { way: "error" });
    return handled === null
      ? { kind: "failed", ...failure, node: node.id, lines: told }
      : { state: handled, lines: told };
  }
  const told = withLine(lines, line.done(done));
  if (done.returned !== undefined) return { kind: "returned", value: done.returned.value, lines: told };
  const next = onwards(program, changed, done.result);
  if (next === null) throw new RunError("invalid", `No edge leads on from "${node.id}".`);
  return done.until === undefined
    ? { state: next, lines: told }
    : { kind: "waiting", until: done.until, state: next, node: node.id, lines: told };
};

/** Executes nodes from a state on, until a return, a delay or a failure. Raises nothing. */
export const runFrom = async (setting: RunSetting, start: RunState, earlier: NodeLines): Promise<Stop> => {
  let state = start;
  let lines = earlier;
  for (;;) {
    try {
      const stepped = await step(setting, state, lines);
      if ("kind" in stepped) return stepped;
      ({ state, lines } = stepped);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      const { type, message } = error;
      return { kind: "failed", type, message, node: state.position.node, lines };
    }
  }
};

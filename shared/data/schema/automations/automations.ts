/**
 * What automations say: their nodes and edges. Pure: without I/O and clock. `check/check.ts` says what is wrong with
 * them.
 */

export { type AutomationNode, type Definition, parseDefinition } from "./definition.ts";
export {
  advance,
  type LoopFrame,
  type NodeResult,
  type Position,
  type Program,
  programOf,
  runningLoop,
} from "./flow.ts";
export { filledIn } from "./values.ts";

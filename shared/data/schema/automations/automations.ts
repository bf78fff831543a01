/** What automations say: their nodes, edges and expressions, checked and read. Pure: without I/O and clock. */
export { automationIssues, issuesOfStored, type KnownNames } from "./check.ts";
export { type AutomationNode, type Definition, type ParsedDefinition, parseDefinition } from "./definition.ts";
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

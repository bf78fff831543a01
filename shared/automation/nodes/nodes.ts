import type { AutomationNode } from "#shared/data/schema/automations/automations";
import type { Execute, NodeContext, NodeDone } from "./node.ts";
import { assign, condition, delay, loop, return_, trigger } from "./plain.ts";

type Executors = { readonly [T in AutomationNode["type"]]: () => Promise<Execute<T>> };

/** Those that do something outside of the run are loaded when they are needed, because their libraries are large. */
const executors: Executors = {
  trigger: async () => trigger,
  function: async () => (await import("./function.ts")).function_,
  condition: async () => condition,
  create_record: async () => (await import("./records.ts")).createRecord,
  update_record: async () => (await import("./records.ts")).updateRecord,
  query: async () => (await import("./query.ts")).query,
  notify: async () => (await import("./messages.ts")).notify,
  send_email: async () => (await import("./messages.ts")).sendEmail,
  assign: async () => assign,
  loop: async () => loop,
  delay: async () => delay,
  return: async () => return_,
};

/** Types of nodes that do nothing outside of the run: they need no rights, and an interruption cannot hit them. */
export const isPure = ({ type }: AutomationNode): boolean =>
  ["trigger", "condition", "assign", "loop", "return"].includes(type);

export const executeNode = async (node: AutomationNode, context: NodeContext): Promise<NodeDone> => {
  // Each executor takes the nodes of its own type.
  const execute = (await executors[node.type]()) as Execute<AutomationNode["type"]>;
  return execute(node as never, context);
};

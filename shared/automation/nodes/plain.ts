import { automationLimits } from "#contracts/automation-definition";
import { nowMillis } from "#shared/foundation/clock";
import { NodeError } from "../engine/node-error.ts";
import { type Execute, next } from "./node.ts";

export const trigger: Execute<"trigger"> = ({ config }, { evaluation }) => ({
  result: next,
  assigned: evaluation.value(config.variables ?? {}) as Record<string, unknown>,
});

export const condition: Execute<"condition"> = ({ config }, { evaluation }) => {
  const output = evaluation.condition(config.expression);
  return { result: { way: output }, output };
};

export const assign: Execute<"assign"> = ({ config }, { evaluation }) => {
  const assigned = evaluation.value(config.values) as Record<string, unknown>;
  return { result: next, inputs: assigned, assigned };
};

/** A list that is too long fails the node: to leave out items in silence would be worse. */
export const loop: Execute<"loop"> = ({ config }, { evaluation }) => {
  const items = evaluation.value(config.items) ?? [];
  if (!Array.isArray(items)) throw new NodeError("loop", "What a loop goes through must be a list.");
  if (items.length > config.limit) {
    throw new NodeError("limit", `The list has ${items.length} items; this loop takes at most ${config.limit}.`);
  }
  return { result: { items }, inputs: { items: items.length } };
};

const momentOf = (seconds: unknown, until: unknown): number => {
  if (seconds !== undefined) {
    if (typeof seconds === "number" && seconds >= 0) return nowMillis() + seconds * 1000;
    throw new NodeError("delay", "The seconds of a delay must be a number that is not negative.");
  }
  const moment = typeof until === "string" ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(moment)) throw new NodeError("delay", "The end of a delay must be a time in ISO 8601.");
  return moment;
};

/** What has passed already delays nothing. */
export const delay: Execute<"delay"> = ({ config }, { evaluation, execution }) => {
  const given = {
    ...(config.seconds !== undefined && { seconds: evaluation.value(config.seconds) }),
    ...(config.until !== undefined && { until: evaluation.value(config.until) }),
  };
  const at = momentOf(given.seconds, given.until);
  if (at <= nowMillis()) return { result: next, inputs: given };
  if (at > nowMillis() + automationLimits.delaySeconds * 1000) {
    throw new NodeError("limit", "A delay may last at most 366 days.");
  }
  if (execution.buffered) {
    throw new NodeError("delay", "An automation that a sync trigger runs cannot wait: the write would wait with it.");
  }
  return { result: next, inputs: given, until: new Date(at) };
};

export const return_: Execute<"return"> = ({ config }, { evaluation }) => {
  const value = config.value === undefined ? null : evaluation.value(config.value);
  return { result: next, output: value, returned: { value } };
};

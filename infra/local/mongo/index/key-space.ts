import { compare, rankOf, type StringOrder } from "../values/compare.ts";
import { encodeKey, invertKey } from "../values/key.ts";
import type { Maybe } from "../values/types.ts";
import type { Before } from "./sorted-list.ts";

/** A bound of one component of a range. */
export type Edge =
  | { readonly at: "value"; readonly value: Maybe; readonly inclusive: boolean }
  /** All values of the type with this rank. */
  | { readonly at: "type"; readonly rank: number }
  | { readonly at: "end" };

export interface Interval {
  readonly low: Edge;
  readonly high: Edge;
}

export const everything: Interval = { low: { at: "end" }, high: { at: "end" } };

export const point = (value: Maybe): Interval => {
  const edge: Edge = { at: "value", value, inclusive: true };
  return { low: edge, high: edge };
};

export interface Range<K> {
  readonly low: Before<K>;
  readonly high: Before<K>;
}

/** How an index orders its keys and turns intervals into positions. */
export interface KeySpace<K> {
  readonly compare: (a: K, b: K) => number;
  key(values: readonly Maybe[]): K;
  /** One interval after a prefix of exact values. */
  range(prefix: readonly Maybe[], interval: Interval): Range<K>;
  orderOf(a: Maybe, b: Maybe): number;
}

/** Without a collation keys are strings, which compare natively. */
export function binaryKeySpace(directions: readonly number[]): KeySpace<string> {
  const component = (value: Maybe, i: number): string => {
    const text = encodeKey(value);
    return (directions[i] as number) > 0 ? text : invertKey(text);
  };
  const key = (values: readonly Maybe[]): string => {
    if (values.length === 1) return component(values[0], 0);
    let text = "";
    for (let i = 0; i < values.length; i++) text += component(values[i], i);
    return text;
  };
  return {
    compare: (a, b) => (a < b ? -1 : a > b ? 1 : 0),
    key,
    orderOf: (a, b) => compare(a, b),
    range(prefix, interval) {
      const start = key(prefix);
      const low = lowText(interval.low);
      const high = highText(interval.high);
      if ((directions[prefix.length] ?? 1) > 0)
        return between(start + low, high === "" ? successor(start) : start + high);
      return between(
        high === "" ? start : start + successor(invertKey(high)),
        low === "" ? successor(start) : start + successor(invertKey(low)),
      );
    },
  };
}

function between(low: string, high: string): Range<string> {
  return { low: low === "" ? () => false : (key) => key < low, high: high === "" ? () => true : (key) => key < high };
}

function lowText(edge: Edge): string {
  if (edge.at === "end") return "";
  if (edge.at === "type") return String.fromCharCode(edge.rank);
  return edge.inclusive ? encodeKey(edge.value) : successor(encodeKey(edge.value));
}

function highText(edge: Edge): string {
  if (edge.at === "end") return "";
  if (edge.at === "type") return String.fromCharCode(edge.rank + 1);
  return edge.inclusive ? successor(encodeKey(edge.value)) : encodeKey(edge.value);
}

/** The least string that is greater than every string with this prefix. */
function successor(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0xffff) end--;
  return end === 0 ? "" : text.slice(0, end - 1) + String.fromCharCode(text.charCodeAt(end - 1) + 1);
}

/** With a collation keys are the values and a comparator orders them, since Intl has no sort keys. */
export function collatedKeySpace(directions: readonly number[], order: StringOrder): KeySpace<readonly Maybe[]> {
  const orderOf = (a: Maybe, b: Maybe): number => compare(a, b, order);
  const comparePrefix = (key: readonly Maybe[], prefix: readonly Maybe[]): number => {
    for (let i = 0; i < prefix.length; i++) {
      const result = orderOf(key[i], prefix[i]) * (directions[i] as number);
      if (result !== 0) return result;
    }
    return 0;
  };
  return {
    compare: comparePrefix,
    key: (values) => values.slice(),
    orderOf,
    range(prefix, interval) {
      const at = prefix.length;
      const rising = (directions[at] ?? 1) > 0;
      const first = rising ? interval.low : interval.high;
      const last = rising ? interval.high : interval.low;
      const sign = rising ? 1 : -1;
      return {
        low: (key) => {
          const start = comparePrefix(key, prefix);
          if (start !== 0) return start < 0;
          const side = sideOf(key[at], first, orderOf) * sign;
          return side < 0 || (side === 0 && first.at === "value" && !first.inclusive);
        },
        high: (key) => {
          const start = comparePrefix(key, prefix);
          if (start !== 0) return start < 0;
          const side = sideOf(key[at], last, orderOf) * sign;
          return side < 0 || (side === 0 && (last.at !== "value" || last.inclusive));
        },
      };
    },
  };
}

function sideOf(value: Maybe, edge: Edge, orderOf: (a: Maybe, b: Maybe) => number): number {
  if (edge.at === "end") return 0;
  return edge.at === "type" ? rankOf(value) - edge.rank : orderOf(value, edge.value);
}

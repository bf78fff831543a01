import { isDeepStrictEqual } from "node:util";
import { isObject } from "#shared/foundation/is-object";
import { SECRET_MASK } from "../copying/mask.ts";
import { pairElements } from "./pair-elements.ts";

/** The place of a value within a value. */
export type Path = readonly (string | number)[];

export interface Merged {
  /** Undefined: the value is masked, and the target has none. */
  readonly value: unknown;
  /** The places of masks for which the target has no value. */
  readonly leftOut: readonly Path[];
}

/** JSON objects. Dates and BSON's own types have other prototypes. */
const isPlain = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));

const memberOf = (value: unknown, name: string): unknown =>
  isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const holdsMask = (value: unknown): boolean => {
  if (value === SECRET_MASK) return true;
  if (Array.isArray(value)) return value.some(holdsMask);
  return isPlain(value) && Object.values(value).some(holdsMask);
};

/** Whether two values are equal, where a mask equals anything but nothing. */
const areAlike = (pushed: unknown, stored: unknown): boolean => {
  if (pushed === SECRET_MASK) return stored !== undefined;
  if (Array.isArray(pushed)) {
    if (!Array.isArray(stored) || stored.length !== pushed.length) return false;
    return pushed.every((one, index) => areAlike(one, stored[index]));
  }
  if (!isPlain(pushed)) return isDeepStrictEqual(pushed, stored);
  const names = Object.keys(pushed);
  if (!isPlain(stored) || Object.keys(stored).length !== names.length) return false;
  return names.every((name) => areAlike(pushed[name], memberOf(stored, name)));
};

const idOf = (element: unknown): string | number | undefined => {
  const id = memberOf(element, "id");
  return (typeof id === "string" && id !== SECRET_MASK) || typeof id === "number" ? id : undefined;
};

const mergedList = (pushed: readonly unknown[], stored: unknown): Merged => {
  const lists = { pushed, stored: Array.isArray(stored) ? stored : [] };
  const partners = pairElements(lists, { idOf, needsPartner: holdsMask, areAlike });
  const merged = pushed.map((element, index) => mergeMasked(element, partners.get(index)));
  return {
    value: merged.flatMap(({ value }) => (value === undefined ? [] : [value])),
    leftOut: merged.flatMap(({ leftOut }, index) => leftOut.map((path) => [index, ...path])),
  };
};

const mergedObject = (pushed: Record<string, unknown>, stored: unknown): Merged => {
  const merged = Object.entries(pushed).map(
    ([name, member]) => [name, mergeMasked(member, memberOf(stored, name))] as const,
  );
  return {
    value: Object.fromEntries(merged.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]]))),
    leftOut: merged.flatMap(([name, { leftOut }]) => leftOut.map((path) => [name, ...path])),
  };
};

/**
 * The pushed value with the target's values in the places of masks. A mask is the text that a copy has for secrets. It
 * never comes into the target, under whatever name it stands.
 */
export const mergeMasked = (pushed: unknown, stored: unknown): Merged => {
  if (pushed === SECRET_MASK) return { value: stored, leftOut: stored === undefined ? [[]] : [] };
  if (!holdsMask(pushed)) return { value: pushed, leftOut: [] };
  return Array.isArray(pushed) ? mergedList(pushed, stored) : mergedObject(pushed as Record<string, unknown>, stored);
};

/** Pairs elements of two lists. */
interface Lists {
  readonly pushed: readonly unknown[];
  readonly stored: readonly unknown[];
}

export interface ElementTests {
  readonly idOf: (element: unknown) => string | number | undefined;
  /** Whether an element has values of the target to take. Others need no partner. */
  readonly needsPartner: (element: unknown) => boolean;
  /** Whether two elements are equal but for those values. */
  readonly areAlike: (pushed: unknown, stored: unknown) => boolean;
}

/** Position in the pushed list → position in the stored one. */
type Pairs = Map<number, number>;

const pairById = ({ pushed, stored }: Lists, { idOf }: ElementTests, pairs: Pairs, free: Set<number>): void => {
  const positions = new Map([...stored.entries()].reverse().map(([position, element]) => [idOf(element), position]));
  for (const [index, element] of pushed.entries()) {
    const id = idOf(element);
    const position = id === undefined ? undefined : positions.get(id);
    if (position !== undefined && free.delete(position)) pairs.set(index, position);
  }
};

/** Elements that others equal as a whole are nobody's partner. */
const withoutEqual = ({ pushed, stored }: Lists, { needsPartner }: ElementTests, free: Set<number>): void => {
  const texts = pushed.filter((element) => !needsPartner(element)).map((element) => JSON.stringify(element));
  const settled = new Set(texts);
  for (const position of free) if (settled.has(JSON.stringify(stored[position]))) free.delete(position);
};

/**
 * The stored element for each pushed one that needs it: that with the same `id`; else one that is alike, wherever it
 * stands, so that an element that has moved keeps what is its own. Elements that were changed are paired by position in
 * lists of the same length, and then in their order if as many are left on both sides. Otherwise they have no partner: it
 * would be a guess.
 */
export const pairElements = (lists: Lists, tests: ElementTests): ReadonlyMap<number, unknown> => {
  const { pushed, stored } = lists;
  const { idOf, needsPartner, areAlike } = tests;
  const [pairs, free]: [Pairs, Set<number>] = [new Map(), new Set(stored.keys())];
  pairById(lists, tests, pairs, free);
  for (const position of free) if (idOf(stored[position]) !== undefined) free.delete(position);
  const open = (): number[] =>
    [...pushed.keys()].filter(
      (index) => !pairs.has(index) && idOf(pushed[index]) === undefined && needsPartner(pushed[index]),
    );
  const pair = (index: number, position: number | undefined): void => {
    if (position !== undefined && free.delete(position)) pairs.set(index, position);
  };
  for (const index of open()) {
    const isAlike = (position: number): boolean => areAlike(pushed[index], stored[position]);
    pair(index, free.has(index) && isAlike(index) ? index : [...free].find(isAlike));
  }
  if (pushed.length === stored.length) for (const index of open()) pair(index, index);
  withoutEqual(lists, tests, free);
  const [left, places] = [open(), [...free]];
  if (left.length === places.length) for (const [order, index] of left.entries()) pair(index, places[order]);
  return new Map([...pairs].map(([index, position]) => [index, stored[position]]));
};

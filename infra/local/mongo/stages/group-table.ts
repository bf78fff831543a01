import type { Accumulator } from "../expressions/group-state.ts";
import { countMemory } from "../foundation/budget.ts";
import { compare, type StringOrder } from "../values/compare.ts";
import { estimateSize } from "../values/estimated-size.ts";
import { encodeKey } from "../values/key.ts";
import type { Value } from "../values/types.ts";

export interface Group {
  readonly id: Value;
  readonly states: ReturnType<Accumulator>[];
}

const bytesOfGroup = 200;

/** Finds the group of a value: by hash, or by binary search if there is a collation. */
export function groupTable(
  order: StringOrder | undefined,
  make: (id: Value) => Group,
): { at(id: Value): Group; all(): Iterable<Group> } {
  if (order === undefined) {
    const groups = new Map<string, Group>();
    return {
      all: () => groups.values(),
      at(id) {
        const key = encodeKey(id);
        let found = groups.get(key);
        if (found === undefined) {
          found = make(id);
          countMemory(bytesOfGroup + 2 * estimateSize(id));
          groups.set(key, found);
        }
        return found;
      },
    };
  }
  const sorted: Group[] = [];
  const made: Group[] = [];
  return {
    all: () => made,
    at(id) {
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (compare((sorted[middle] as Group).id, id, order) < 0) low = middle + 1;
        else high = middle;
      }
      const near = sorted[low];
      if (near !== undefined && compare(near.id, id, order) === 0) return near;
      const found = make(id);
      countMemory(bytesOfGroup + estimateSize(id));
      sorted.splice(low, 0, found);
      made.push(found);
      return found;
    },
  };
}

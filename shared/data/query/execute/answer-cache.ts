import { boundedCache } from "#shared/foundation/bounded-cache";
import { nowMillis } from "#shared/foundation/clock";

/** The bound on what no counter tells: a writer that died between its commit and its count, or an operator's hand. */
const KEPT_MILLISECONDS = 60_000;

export interface AnswerCache<V extends object> {
  /**
   * The value under `key` as long as it was loaded with these very versions, else what `load` finds now. The versions
   * must have been read before this is called: whatever is loaded afterwards is at least as new as they are.
   */
  read(key: string, versions: string, load: () => Promise<V>): Promise<{ readonly value: V; readonly hit: boolean }>;
}

/** At most 60 seconds and `mostBytes`, the least recently used first to go. Failures are not kept. */
export const answerCache = <V extends object>(mostBytes: number, clock: () => number = nowMillis): AnswerCache<V> => {
  const entries = boundedCache<{ readonly versions: string; readonly value: V }>({
    mostBytes,
    ttl: KEPT_MILLISECONDS,
    clock,
  });
  return {
    async read(key, versions, load) {
      const known = entries.get(key);
      if (known?.versions === versions) return { value: known.value, hit: true };
      const start = clock();
      const value = await load();
      entries.set(key, { versions, value }, start);
      return { value, hit: false };
    },
  };
};

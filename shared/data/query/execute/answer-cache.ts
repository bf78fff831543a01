import { boundedCache } from "#shared/foundation/bounded-cache";
import { nowMillis } from "#shared/foundation/clock";

/** Limits staleness from changes without a counter: a writer that died between commit and count, or changes by hand. */
const KEPT_MILLISECONDS = 60_000;

export interface AnswerCache<V extends object> {
  /**
   * The value under `key` if it was loaded with these versions, else the result of `load`. The versions must have been
   * read before the call, so that the loaded value is at least as new as they are.
   */
  read(key: string, versions: string, load: () => Promise<V>): Promise<{ readonly value: V; readonly hit: boolean }>;
}

/** Entries live up to 60 seconds, within `mostBytes` (least recently used first out). Failures are not cached. */
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

import { LRUCache } from "lru-cache";
import { nowMillis } from "../clock.ts";
import { weigh } from "./weigh.ts";

/** The bound on what no counter tells: a writer that died between its commit and its count, or an operator's hand. */
const KEPT_MILLISECONDS = 60_000;
const MOST_BYTES = 32 * 1024 * 1024;
const LARGEST_BYTES = 8 * 1024 * 1024;

export interface AnswerCache<V extends object> {
  /**
   * The value under `key` as long as it was loaded with these very versions, else what `load` finds now. The versions
   * must have been read before this is called: whatever is loaded afterwards is at least as new as they are.
   */
  read(key: string, versions: string, load: () => Promise<V>): Promise<{ readonly value: V; readonly hit: boolean }>;
}

/** One per execution environment: at most 60 seconds and 32 MB, the least recently used first to go. Failures are not kept. */
export const answerCache = <V extends object>(clock: () => number = nowMillis): AnswerCache<V> => {
  const entries = new LRUCache<string, { readonly versions: string; readonly value: V }>({
    maxSize: MOST_BYTES,
    maxEntrySize: LARGEST_BYTES,
    sizeCalculation: ({ versions, value }, key) => weigh(value) + 2 * (key.length + versions.length),
    ttl: KEPT_MILLISECONDS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  return {
    async read(key, versions, load) {
      const known = entries.get(key);
      if (known?.versions === versions) return { value: known.value, hit: true };
      const start = clock();
      const value = await load();
      entries.set(key, { versions, value }, { start });
      return { value, hit: false };
    },
  };
};

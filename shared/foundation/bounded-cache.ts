import { LRUCache } from "lru-cache";
import { nowMillis } from "./clock.ts";
import { weigh } from "./weigh.ts";

export interface BoundedCache<V extends object> {
  get(key: string): V | undefined;
  /** Keeps the value, unless it alone would take more than a quarter of the cache. `start`: its age counts from then. */
  set(key: string, value: V, start?: number): void;
  delete(key: string): void;
  /** What is kept, in bytes, keys included. */
  bytes(): number;
}

export interface BoundedCacheOptions<V> {
  /** Keys and values together. */
  readonly mostBytes: number;
  /** The bytes of a value that its own properties do not show, such as what a closure holds. */
  readonly weight?: (value: V) => number;
  /** Milliseconds after which an entry is gone; for ever unless given. */
  readonly ttl?: number;
  readonly clock?: () => number;
}

/** No entry may take more than this share of a cache. */
const LARGEST_SHARE = 1 / 4;
/** Two bytes a character, and what the entry itself takes. */
const weightOfKey = (key: string): number => 2 * key.length + 100;

/**
 * The one kind of cache: bounded by the bytes of its keys and values, the least recently used first to go. A bound on
 * the number of entries is none where callers decide how long a name or a value is.
 */
export const boundedCache = <V extends object>(options: BoundedCacheOptions<V>): BoundedCache<V> => {
  const { mostBytes, weight = weigh, ttl, clock = nowMillis } = options;
  const entries = new LRUCache<string, V>({
    maxSize: mostBytes,
    maxEntrySize: mostBytes * LARGEST_SHARE,
    sizeCalculation: (value, key) => Math.ceil(weight(value)) + weightOfKey(key),
    ...(ttl === undefined ? {} : { ttl, ttlResolution: 0, perf: { now: clock } }),
  });
  return {
    get: (key) => entries.get(key),
    set: (key, value, start) => {
      entries.set(key, value, start === undefined ? {} : { start });
    },
    delete: (key) => {
      entries.delete(key);
    },
    bytes: () => entries.calculatedSize,
  };
};

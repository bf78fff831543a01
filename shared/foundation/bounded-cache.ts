import { LRUCache } from "lru-cache";
import { nowMillis } from "./clock.ts";

/** An upper estimate of the memory of a value in bytes. Keys are shared strings and count little. */
export const estimateBytes = (value: unknown): number => {
  if (typeof value === "string") return 24 + value.length * 2;
  if (typeof value !== "object" || value === null) return 16;
  if (value instanceof Date) return 96;
  let size = 40;
  if (Array.isArray(value)) for (const item of value) size += 8 + estimateBytes(item);
  else for (const key in value) size += 8 + estimateBytes(value[key as keyof typeof value]);
  return size;
};

export interface BoundedCache<V extends object> {
  get(key: string): V | undefined;
  /**
   * Stores the value, unless it alone would take more than a quarter of the cache. `start`: the time from which its age
   * counts.
   */
  set(key: string, value: V, start?: number): void;
  delete(key: string): void;
  /** The size of all entries in bytes, keys included. */
  bytes(): number;
}

export interface BoundedCacheOptions<V> {
  /** The limit for keys and values together. */
  readonly mostBytes: number;
  /** The size of a value; `estimateBytes` by default. For values whose properties do not show what they hold. */
  readonly bytesOf?: (value: V) => number;
  /** Milliseconds after which an entry expires; never by default. */
  readonly ttl?: number;
  readonly clock?: () => number;
}

/** The largest share of a cache that one entry may take. */
const LARGEST_SHARE = 1 / 4;
/** Two bytes for each character, and the entry's own overhead. */
const bytesOfKey = (key: string): number => 2 * key.length + 100;

/**
 * A least-recently-used cache, limited by the bytes of its keys and values. A limit on the number of entries would not
 * suffice, because callers choose the length of names and values.
 */
export const boundedCache = <V extends object>(options: BoundedCacheOptions<V>): BoundedCache<V> => {
  const { mostBytes, bytesOf = estimateBytes, ttl, clock = nowMillis } = options;
  const entries = new LRUCache<string, V>({
    maxSize: mostBytes,
    maxEntrySize: mostBytes * LARGEST_SHARE,
    sizeCalculation: (value, key) => Math.ceil(bytesOf(value)) + bytesOfKey(key),
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

import { LRUCache } from "lru-cache";
import { nowMillis } from "./clock.ts";

/** An estimate, rather too high, of the bytes that a value takes in memory. Keys are shared and count little. */
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
  /** Keeps the value, unless it alone would take more than a quarter of the cache. `start`: its age counts from then. */
  set(key: string, value: V, start?: number): void;
  delete(key: string): void;
  /** What is kept, in bytes, keys included. */
  bytes(): number;
}

export interface BoundedCacheOptions<V> {
  /** Keys and values together. */
  readonly mostBytes: number;
  /** The bytes of a value; `estimateBytes` unless given. For values whose properties do not show what they hold. */
  readonly bytesOf?: (value: V) => number;
  /** Milliseconds after which an entry is gone; for ever unless given. */
  readonly ttl?: number;
  readonly clock?: () => number;
}

/** No entry may take more than this share of a cache. */
const LARGEST_SHARE = 1 / 4;
/** Two bytes a character, and what the entry itself takes. */
const bytesOfKey = (key: string): number => 2 * key.length + 100;

/**
 * The one kind of cache: bounded by the bytes of its keys and values, the least recently used first to go. A bound on
 * the number of entries is none where callers decide how long a name or a value is.
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

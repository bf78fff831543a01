import { LRUCache } from "lru-cache";

/** What is derived from a tenant's data and stays true while a version in the organization's state stays the same. */
export interface VersionedCache<V extends object> {
  /** `key` must begin with the organization's id; `version` is the one read with this very request. */
  read(key: string, version: number, load: () => Promise<V>): Promise<V>;
}

/**
 * One cache per execution environment. An older version is never served: a request brings the version that it read, and
 * only an entry of exactly that version counts.
 */
export const versionedCache = <V extends object>(capacity: number): VersionedCache<V> => {
  const entries = new LRUCache<string, { version: number; value: V }>({ max: capacity });
  return {
    async read(key, version, load) {
      const known = entries.get(key);
      if (known?.version === version) return known.value;
      const value = await load();
      entries.set(key, { version, value });
      return value;
    },
  };
};

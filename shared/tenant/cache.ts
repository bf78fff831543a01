import { type BoundedCacheOptions, boundedCache, estimateBytes } from "#shared/foundation/bounded-cache";

/** What is derived from a tenant's data and stays true while a version in the organization's state stays the same. */
export interface VersionedCache<V extends object> {
  /**
   * `key` must begin with the organization's id; `version` is the one read with this very request. Null says that there
   * is no such thing, and is not kept: callers can name things that do not exist without end.
   */
  read<L extends V | null>(key: string, version: number, load: () => Promise<L>): Promise<V | L>;
}

/**
 * One cache per execution environment. An older version is never served: a request brings the version that it read, and
 * only an entry of exactly that version counts.
 */
export const versionedCache = <V extends object>(
  options: Pick<BoundedCacheOptions<V>, "mostBytes" | "bytesOf">,
): VersionedCache<V> => {
  const { mostBytes, bytesOf = estimateBytes } = options;
  const entries = boundedCache<{ version: number; value: V }>({
    mostBytes,
    bytesOf: ({ value }) => 50 + bytesOf(value),
  });
  return {
    async read(key, version, load) {
      const known = entries.get(key);
      if (known?.version === version) return known.value;
      const value = await load();
      if (value !== null) entries.set(key, { version, value });
      return value;
    },
  };
};

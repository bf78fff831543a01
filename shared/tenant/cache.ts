import { type BoundedCacheOptions, boundedCache, estimateBytes } from "#shared/foundation/bounded-cache";

/** Values derived from a tenant's data. They are valid while a version in the organization state stays the same. */
export interface VersionedCache<V extends object> {
  /**
   * `key` must begin with the organization's id. `version` is the one that this request read. Null means that the thing
   * does not exist. It is not cached, because callers can name any number of things that do not exist.
   */
  read<L extends V | null>(key: string, version: number, load: () => Promise<L>): Promise<V | L>;
}

/**
 * One cache per execution environment. A request is only served an entry of exactly the version that it read.
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

import { type BoundedCacheOptions, boundedCache, estimateBytes } from "#shared/foundation/bounded-cache";
import type { Copy } from "./counted-writes.ts";

type CopyId = Pick<Copy, "organization_id" | "generation">;

/**
 * Identifies one copy of an organization's data. Every key of a cache of tenant data begins with it, because versions
 * start again in the next copy.
 */
export const copyKeyOf = ({ organization_id, generation }: CopyId): string =>
  generation === null ? organization_id : `${organization_id}@${generation}`;

/** Values derived from a tenant's data. They are valid while a version in the organization state stays the same. */
export interface VersionedCache<V extends object> {
  /**
   * `key` is unique within the organization. `version` is the one that this request read. Null means that the thing
   * does not exist. It is not cached, because callers can name any number of things that do not exist.
   */
  read<L extends V | null>(copy: CopyId, key: string, version: number, load: () => Promise<L>): Promise<V | L>;
}

/**
 * One cache per execution environment. A request is only served an entry of exactly the generation and version that it
 * read.
 */
export const versionedCache = <V extends object>(
  options: Pick<BoundedCacheOptions<V>, "mostBytes" | "bytesOf">,
): VersionedCache<V> => {
  const { mostBytes, bytesOf = estimateBytes } = options;
  const entries = boundedCache<{ generation: string | null; version: number; value: V }>({
    mostBytes,
    bytesOf: ({ value }) => 50 + bytesOf(value),
  });
  return {
    async read({ organization_id, generation }, key, version, load) {
      // One entry for all copies: the next one replaces the last.
      const id = `${organization_id}/${key}`;
      const known = entries.get(id);
      if (known?.version === version && known.generation === generation) return known.value;
      const value = await load();
      if (value !== null) entries.set(id, { generation, version, value });
      return value;
    },
  };
};

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SchemaReader, schemaOf } from "#shared/data/schema/read";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { isTimeZone } from "#shared/foundation/time-zone";
import { versionedCache } from "#shared/tenant/tenant";
import { firstCopy } from "../../setup/first-copy.ts";

describe("a bounded cache", () => {
  it("never holds more bytes than its limit", () => {
    const entry = fc.record({ key: fc.string({ maxLength: 3_000 }), text: fc.string({ maxLength: 3_000 }) });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 100 }), (entries) => {
        const cache = boundedCache<{ text: string }>({ mostBytes: 20_000 });
        for (const { key, text } of entries) {
          cache.set(key, { text });
          expect(cache.bytes()).toBeLessThanOrEqual(20_000);
          const isSmall = 2 * (key.length + text.length) < 4_000;
          if (isSmall) expect(cache.get(key)).toEqual({ text });
        }
      }),
    );
  });

  it("counts long keys, and does not keep an entry of more than a quarter of its size", () => {
    const cache = boundedCache<{ found: boolean }>({ mostBytes: 1_000_000 });
    for (let index = 0; index < 1_100; index += 1) cache.set(`${index}${"n".repeat(100_000)}`, { found: true });
    expect(cache.bytes()).toBeLessThanOrEqual(1_000_000);
    cache.set("n".repeat(200_000), { found: true });
    expect(cache.get("n".repeat(200_000))).toBeUndefined();
    cache.set("short", { found: true });
    expect(cache.get("short")).toEqual({ found: true });
  });

  it("by version keeps values, and does not keep missing ones", async () => {
    const cache = versionedCache<{ name: string }>({ mostBytes: 100_000 });
    let loads = 0;
    const read = (key: string, found: { name: string } | null) =>
      cache.read(firstCopy("o"), key, 1, async () => {
        loads += 1;
        return found;
      });
    expect([await read("a", { name: "a" }), await read("a", { name: "b" })]).toEqual([{ name: "a" }, { name: "a" }]);
    expect([await read("x", null), await read("x", null), loads]).toEqual([null, null, 3]);
  });

  it("by version serves no value of another organization, generation or version", async () => {
    const cache = versionedCache<{ name: string }>({ mostBytes: 100_000 });
    const copies = [
      [firstCopy("o"), 1],
      [firstCopy("p"), 1],
      [firstCopy("o"), 2],
      [{ ...firstCopy("o"), generation: "g1" }, 2],
      [{ ...firstCopy("o"), generation: "g2" }, 2],
    ] as const;
    const found = [];
    for (const [copy, version] of copies) {
      const load = async () => ({ name: `${copy.organization_id} ${copy.generation} ${version}` });
      found.push((await cache.read(copy, "lead", version, load)).name);
    }
    expect(found).toEqual(["o null 1", "p null 1", "o null 2", "o g1 2", "o g2 2"]);
  });
});

describe("the cache of an object's schema", () => {
  const readerOf = (asked: string[]): SchemaReader => {
    const collection = () => ({
      find: ({ $or }: { $or: { _id?: string }[] }) => {
        asked.push($or[1]?._id ?? "");
        return { limit: () => ({ toArray: async () => [] }) };
      },
    });
    const state = { _id: "o", status: "active", schema_version: 1, access_version: 1, indexed: {} } as const;
    return { ...firstCopy("o"), collection: collection as unknown as SchemaReader["collection"], state };
  };

  it("is not read for a name that no object can have", async () => {
    const asked: string[] = [];
    const reader = readerOf(asked);
    for (const name of ["", "n".repeat(81), "n".repeat(900_000)]) expect(await schemaOf(reader, name)).toBeNull();
    expect(asked).toEqual([]);
  });

  it("does not keep that an object is missing", async () => {
    const asked: string[] = [];
    const reader = readerOf(asked);
    expect([await schemaOf(reader, "missing"), await schemaOf(reader, "missing")]).toEqual([null, null]);
    expect(asked).toEqual(["missing", "missing"]);
  });
});

describe("the check of a time zone", () => {
  it("accepts any letter case, and no other name", () => {
    expect(["Europe/Berlin", "EUROPE/berlin", "utc"].map(isTimeZone)).toEqual([true, true, true]);
    expect(["Europe/Nowhere", "+02:00", "E".repeat(65), 5].map(isTimeZone)).toEqual([false, false, false, false]);
  });
});

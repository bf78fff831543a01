import type { Document } from "mongodb";
import { describe, expect, it } from "vitest";
import { shapeRows } from "#shared/query/result-rows";
import type { Batches } from "#shared/tenant/tenant";
import { compile } from "./catalog-fixture.ts";

const batchesOf = (documents: readonly Document[], size = 100): Batches & { readonly closed: () => boolean } => {
  let position = 0;
  let closed = false;
  return {
    next: async () => {
      if (position >= documents.length) return null;
      position += size;
      return documents.slice(position - size, position);
    },
    close: async () => {
      closed = true;
    },
    closed: () => closed,
  };
};

const leads = (count: number, name = "Ada"): Document[] =>
  Array.from({ length: count }, (_, index) => ({ id: `l${index}`, name }));

const bytes = (rows: unknown): number => Buffer.byteLength(JSON.stringify(rows));

describe("rows of a result", () => {
  it("have every header's key, null where nothing is stored", async () => {
    const query = compile("SELECT id, name AS who, company.name FROM lead");
    const { rows, truncated } = await shapeRows(query, batchesOf([{ c0: "l1", c2: "Acme" }]), 1_000);
    expect(rows).toEqual([{ id: "l1", who: null, "company.name": "Acme" }]);
    expect(truncated).toBe(false);
  });

  it("are cut at 10,000 without LIMIT, and say so", async () => {
    const documents = leads(10_001);
    const { rows, truncated } = await shapeRows(compile("SELECT id FROM lead"), batchesOf(documents), 5_000_000);
    expect([rows.length, truncated]).toEqual([10_000, true]);
    const whole = await shapeRows(compile("SELECT id FROM lead"), batchesOf(documents.slice(1)), 5_000_000);
    expect([whole.rows.length, whole.truncated]).toEqual([10_000, false]);
    const limited = await shapeRows(compile("SELECT id FROM lead LIMIT 20000"), batchesOf(documents), 5_000_000);
    expect([limited.rows.length, limited.truncated]).toEqual([10_001, false]);
  });

  it("are cut where the reply would become too large, in whole rows, and reading stops", async () => {
    const query = compile("SELECT id, name FROM lead");
    for (const name of ["plain text", "ümläut €", "\u0001\u0002\u0003", '"quoted\\"']) {
      const batches = batchesOf(leads(500, name));
      const { rows, truncated } = await shapeRows(query, batches, 5_000);
      expect(truncated).toBe(true);
      expect(batches.closed()).toBe(true);
      expect(bytes(rows)).toBeLessThanOrEqual(5_000);
      expect(bytes([...rows, { id: `l${rows.length}`, name }])).toBeGreaterThan(4_998);
    }
  });

  it("are not cut if they fit exactly as JSON though a bound of their size does not", async () => {
    const documents = leads(50);
    const { rows, truncated } = await shapeRows(
      compile("SELECT id, name FROM lead"),
      batchesOf(documents),
      bytes(documents) + 2,
    );
    expect([rows.length, truncated]).toEqual([50, false]);
  });

  it("are at least one, however large", async () => {
    const { rows, truncated } = await shapeRows(
      compile("SELECT name FROM lead"),
      batchesOf(leads(2, "x".repeat(9_000))),
      5_000,
    );
    expect([rows.length, truncated]).toEqual([1, true]);
  });

  it("of an aggregate over nothing are one, unless groups or a page leave none", () => {
    expect(compile("SELECT COUNT(*), MAX(name) FROM lead").emptyRow).toEqual({ c0: 0, c1: null });
    expect(compile("SELECT COUNT(*) FROM lead GROUP BY name").emptyRow).toBeNull();
    expect(compile("SELECT COUNT(*) FROM lead OFFSET 1").emptyRow).toBeNull();
    expect(compile("SELECT name FROM lead").emptyRow).toBeNull();
  });
});

import type { Document } from "mongodb";
import { describe, expect, it } from "vitest";
import type { ExecutableQuery } from "#shared/data/query/compile/compile";
import { shapeRows } from "#shared/data/query/execute/result-rows";
import { replyMeter } from "#shared/foundation/reply-size";
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

const shape = async (query: ExecutableQuery, batches: Batches, body = 5_000_000, result = 2 * body) => {
  const found = await shapeRows(query, batches, replyMeter(null, { body, result }));
  if (found === null) throw new Error("Not even one row fits.");
  return found;
};

const bytes = (rows: unknown): number => Buffer.byteLength(JSON.stringify(rows));

describe("rows of a query result", () => {
  it("have every header's key, null without a stored value", async () => {
    const query = compile("SELECT id, name AS who, company.name FROM lead");
    const { rows, truncated } = await shape(query, batchesOf([{ c0: "l1", c2: "Acme" }]));
    expect(rows).toEqual([{ id: "l1", who: null, "company.name": "Acme" }]);
    expect(truncated).toBe(false);
  });

  it("are truncated at 10,000 without LIMIT, and report it", async () => {
    const documents = leads(10_001);
    const { rows, truncated } = await shape(compile("SELECT id FROM lead"), batchesOf(documents));
    expect([rows.length, truncated]).toEqual([10_000, true]);
    const whole = await shape(compile("SELECT id FROM lead"), batchesOf(documents.slice(1)));
    expect([whole.rows.length, whole.truncated]).toEqual([10_000, false]);
    const limited = await shape(compile("SELECT id FROM lead LIMIT 20000"), batchesOf(documents));
    expect([limited.rows.length, limited.truncated]).toEqual([10_001, false]);
  });

  it("are truncated at the reply limit in whole rows, and reading stops", async () => {
    const query = compile("SELECT id, name FROM lead");
    for (const name of ["plain text", "ümläut €", "\u0001\u0002\u0003", '"quoted\\"']) {
      const batches = batchesOf(leads(500, name));
      const { rows, truncated } = await shape(query, batches, 5_000);
      expect(truncated).toBe(true);
      expect(batches.closed()).toBe(true);
      expect(bytes(rows)).toBeLessThanOrEqual(5_000);
      // The meter counts, besides the rows, an empty body, and a comma for each row.
      expect(bytes([...rows, { id: `l${rows.length}`, name }])).toBeGreaterThan(4_990);
    }
  });

  it("are truncated if the escaped reply would be too large", async () => {
    const query = compile("SELECT id, name FROM lead");
    for (const name of ["plain text", "\u0001\u0002\u0003", '"quoted\\"']) {
      const { rows, truncated } = await shape(query, batchesOf(leads(500, name)), 9_000, 5_000);
      const escaped = (all: readonly object[]) => bytes(JSON.stringify(all));
      expect(truncated).toBe(true);
      expect(escaped(rows)).toBeLessThanOrEqual(5_000);
      // A newline takes one byte more than a comma.
      expect(escaped([...rows, { id: `l${rows.length}`, name }]) + rows.length).toBeGreaterThan(4_990);
    }
  });

  it("are not truncated if they fit exactly, even if the estimate does not", async () => {
    const documents = leads(50);
    const { rows, truncated } = await shape(
      compile("SELECT id, name FROM lead"),
      batchesOf(documents),
      bytes(documents) + 8,
    );
    expect([rows.length, truncated]).toEqual([50, false]);
  });

  it("are refused if the first one alone does not fit", async () => {
    const documents = leads(2, "x".repeat(9_000));
    const meter = replyMeter(null, { body: 5_000, result: 5_000 });
    expect(await shapeRows(compile("SELECT name FROM lead"), batchesOf(documents), meter)).toBeNull();
  });

  it("of an aggregate without records are one row, unless groups or paging leave none", () => {
    expect(compile("SELECT COUNT(*), MAX(name) FROM lead").emptyRow).toEqual({ c0: 0, c1: null });
    expect(compile("SELECT COUNT(*) FROM lead GROUP BY name").emptyRow).toBeNull();
    expect(compile("SELECT COUNT(*) FROM lead OFFSET 1").emptyRow).toBeNull();
    expect(compile("SELECT name FROM lead").emptyRow).toBeNull();
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "#shared/data/query/compile/page";
import { cursorOf, positionOf } from "#shared/data/query/execute/cursor";
import type { Tenant } from "#shared/tenant/tenant";

const loc = ["query", "q"];
const tenant = { organization_id: "org_1", generation: null, caller: { id: "user-1" } } as unknown as Tenant;

describe("a query cursor", () => {
  const text = "SELECT id FROM lead ORDER BY amount LIMIT 1";
  const cursor = () => cursorOf(tenant, text, { seen: 1, keys: [2.5, "l1"], at: new Date(1_767_225_600_000) });

  it("keeps numbers, text, booleans, dates and nulls", () => {
    const position: Position = { seen: 7, keys: [1.5, "a'$gt", true, null, new Date(5)], at: new Date(9) };
    expect(positionOf(tenant, text, cursorOf(tenant, text, position), loc)).toEqual(position);
  });

  it("is refused with another query, user or organization", () => {
    const others: [Tenant, string][] = [
      [tenant, "SELECT id FROM lead ORDER BY amount LIMIT 2"],
      [{ ...tenant, organization_id: "org_2" }, text],
      [{ ...tenant, generation: "01982f6e-7c00-7000-8000-000000000001" }, text],
      [{ ...tenant, caller: { id: "user-2" } } as unknown as Tenant, text],
    ];
    for (const [other, otherText] of others) {
      expect(() => positionOf(other, otherText, cursor(), loc)).toThrow(
        expect.objectContaining({
          code: "validation_failed",
          issues: [expect.objectContaining({ type: "query_cursor" })],
        }),
      );
    }
  });

  it("is refused if any part of it was changed", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(63), (place, by) => {
        const bytes = Buffer.from(cursor(), "base64url");
        const at = place % bytes.length;
        bytes[at] = ((bytes[at] ?? 0) + by + 1) % 256;
        expect(() => positionOf(tenant, text, bytes.toString("base64url"), loc)).toThrow();
      }),
    );
  });

  it.each(["", "x", "bnVsbA", "W10", Buffer.from('["x",1,[{"$gt":1}],0]').toString("base64url")])(
    "is refused when it is %j",
    (given) => expect(() => positionOf(tenant, text, given, loc)).toThrow(),
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newOrganizationId, randomBase36, slugCandidates, slugOf } from "#shared/identity/accounts/slug";

describe("a slug", () => {
  it.each([
    ["Analytical Engines Ltd", "analytical-engines-ltd"],
    ["  Café Zürich & Söhne!  ", "cafe-zurich-sohne"],
    ["日本", "organization"],
    ["---", "organization"],
    ["x".repeat(100), "x".repeat(48)],
  ])("of %j is %j", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  it("is valid in a URL for every name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 150 }), (name) => {
        for (const slug of slugCandidates(name, 3)) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      }),
    );
  });

  it("has alternatives that differ", () => {
    const candidates = slugCandidates("Acme", 6);
    expect(candidates[0]).toBe("acme");
    expect(new Set(candidates).size).toBe(6);
  });
});

describe("an organization's id", () => {
  it("is a database name that leaves room for a sandbox's", () => {
    expect(newOrganizationId()).toMatch(/^org_[0-9a-z]{16}$/);
    expect(`${newOrganizationId()}_s_${"x".repeat(12)}`.length).toBeLessThanOrEqual(38);
  });

  it("uses every character about equally often", () => {
    const counts = new Map<string, number>();
    for (const character of randomBase36(36_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(36);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
  });
});

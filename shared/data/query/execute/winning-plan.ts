import type { Document } from "mongodb";

/** How the database would read the collection that a pipeline begins with. */
export type Access = { readonly kind: "scan" } | { readonly kind: "index"; readonly path: string };

const isDocument = (value: unknown): value is Document => typeof value === "object" && value !== null;

/** The first field of an index; some servers write its keys as text. */
const firstKey = (pattern: unknown): string | undefined =>
  typeof pattern === "string" ? /[\w.]+/.exec(pattern)?.[0] : Object.keys(isDocument(pattern) ? pattern : {})[0];

/** Not part of the plan that won: what lost, what was asked, and what a join reads. */
const aside = new Set(["rejectedPlans", "command", "parsedQuery", "slotBasedPlan", "$lookup", "executionStats"]);

/**
 * Finds the scans in the answer of `explain`, whatever stands around them: one plan or stages, one engine or the other,
 * one shard or several.
 */
export const accessesOf = (explained: unknown): Access[] => {
  if (!isDocument(explained)) return [];
  if (Array.isArray(explained)) return explained.flatMap(accessesOf);
  const stage = typeof explained.stage === "string" ? explained.stage.toUpperCase() : "";
  if (stage === "COLLSCAN") return [{ kind: "scan" }];
  if (stage.includes("IDHACK") || stage.startsWith("CLUSTERED")) return [{ kind: "index", path: "_id" }];
  const path = stage.startsWith("EQ_LOOKUP") ? undefined : firstKey(explained.keyPattern);
  if (path !== undefined) return [{ kind: "index", path }];
  return Object.entries(explained).flatMap(([key, value]) => (aside.has(key) ? [] : accessesOf(value)));
};

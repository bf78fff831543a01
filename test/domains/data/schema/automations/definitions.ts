import { issuesOfStored, type KnownNames } from "#shared/data/schema/automations/check/check";
import { standardSchemas } from "#shared/data/schema/schema";

/** Nodes and edges as an automation's record has them. */
export interface Drawing {
  readonly nodes: readonly Record<string, unknown>[];
  readonly edges: readonly Record<string, unknown>[];
}

export const known: KnownNames = {
  objects: new Map(standardSchemas().map((schema) => [schema.api_name, schema])),
  hasFunction: (which) => "file_name" in which && which.file_name === "score.py",
  refusesTriggers: (object) => (object === "log" ? "Records of log start no automation." : undefined),
};

export const issuesIn = (drawing: { nodes?: unknown; edges?: unknown }) => issuesOfStored(drawing, known);

export const trigger = { id: "start", type: "trigger", config: { kind: "manual" } };

export const end = { id: "end", type: "return", config: {} };

/** A trigger, these nodes one after the other, and a return. */
export const inRow = (...nodes: Record<string, unknown>[]): Drawing => {
  const all = [trigger, ...nodes, end];
  const edges = all.slice(1).map((node, index) => ({ from: all[index]?.id, to: node.id }));
  return { nodes: all, edges };
};

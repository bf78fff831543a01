import { configurationKinds } from "#contracts/sandbox-bodies";
import type { SandboxOperation } from "#shared/tenant/tenant";

/** Each kind of configuration counts as one. */
const copying =
  configurationKinds.length + ["settle-copies", "copy-users", "apply-safety", "switch-over", "enter-lists"].length;

/** What `progress.total` counts. */
export const stepsOf: Readonly<Record<SandboxOperation, number>> = {
  create: copying,
  refresh: copying,
  delete: ["close", "leave-lists", "remove-belongings", "drop-database"].length,
};

export const DONE = "done";

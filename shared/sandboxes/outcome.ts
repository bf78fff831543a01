import { Fault } from "#shared/foundation/faults";
import type { SandboxOperation } from "#shared/tenant/tenant";
import type { RegisteredSandbox } from "./registry.ts";

/**
 * The sandbox at the end of what an operation waited for. Raises `sandbox_busy` if it was deleted meanwhile, or is being
 * deleted.
 */
export const unlessDeleted = (entry: RegisteredSandbox | null): RegisteredSandbox => {
  if (entry !== null && entry.sandbox.status !== "deleting") return entry;
  throw new Fault("sandbox_busy", { message: "The sandbox has been deleted meanwhile." });
};

/** Raises `sandbox_failed`, with what can be done about it, if the operation has ended so. */
export const refuseFailed = ({ sandbox: { run, failure } }: RegisteredSandbox, operation: SandboxOperation): void => {
  if (run !== undefined || failure?.operation !== operation) return;
  throw new Fault("sandbox_failed", { message: failure.reason, headers: { "retry-after": "30" } });
};

import { Fault } from "#shared/foundation/faults";
import type { SandboxOperation } from "#shared/tenant/tenant";
import type { RegisteredSandbox } from "./registry.ts";

/** Raises `sandbox_failed`, with what can be done about it, if the operation has ended so. */
export const refuseFailed = ({ sandbox: { run, failure } }: RegisteredSandbox, operation: SandboxOperation): void => {
  if (run !== undefined || failure?.operation !== operation) return;
  throw new Fault("sandbox_failed", { message: failure.reason, headers: { "retry-after": "30" } });
};

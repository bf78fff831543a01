import type { Contract } from "#contracts/contract";
import { refuseReplacedCopy } from "#shared/tenant/tenant";
import type { HttpAnswer } from "./problem.ts";
import type { HttpEvent } from "./request.ts";

type Run = (event: HttpEvent) => Promise<HttpAnswer>;

/**
 * A request in a sandbox is answered only if everything that it read belongs to one copy of the data: after the handler
 * has run, the sandbox must still be open and of the same generation. That counts for errors too, because a handler may
 * have looked in the next copy for what it found in the last. Raises `sandbox_refreshing`.
 */
export const ofCurrentCopy =
  (contract: Contract, run: Run): Run =>
  async (event) => {
    const { tenant } = event.progress;
    if (tenant?.is_sandbox !== true || contract.allowsMissingSecondFactor) return run(event);
    try {
      return await run(event);
    } finally {
      await refuseReplacedCopy(tenant);
    }
  };

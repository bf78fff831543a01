import { usageSyncMessage } from "#contracts/billing-messages";
import { planUsageRun, syncDay } from "#shared/billing/billing";
import { consume } from "#shared/lambda/queue/consume";

export const handler = consume(usageSyncMessage)(async ({ id, payload, remaining }) => {
  if (payload.kind === "day") return syncDay({ id, ...payload, remaining });
  await planUsageRun(payload.run_id, payload.after);
  return undefined;
});

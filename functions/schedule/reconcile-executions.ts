import { reconcileExecutions as contract } from "#contracts/jobs";
import { reconcileExecutions } from "#shared/functions/functions";
import { scheduled } from "#shared/lambda/schedule/scheduled";
import { endInterruptedItems } from "#shared/schedules/schedules";
import { visitMarked } from "#shared/tenant/tenant";

export const handler = scheduled(contract)(async ({ remaining }) => {
  let interrupted = 0;
  const visits = await visitMarked("executions", remaining, async (organizationId) => {
    const reconciled = await reconcileExecutions(organizationId);
    const items = await endInterruptedItems(organizationId);
    interrupted += reconciled.interrupted + items.interrupted;
    return reconciled.isLeft || items.isLeft;
  });
  return { ...visits, interrupted };
});

import { sweepMessages as contract } from "#contracts/jobs";
import { scheduled } from "#shared/lambda/schedule/scheduled";
import { sweepMessages } from "#shared/messaging/delivery/sweep";
import { visitMarked } from "#shared/tenant/tenant";

export const handler = scheduled(contract)(async ({ remaining }) => {
  const totals = { due: 0, interrupted: 0 };
  const visits = await visitMarked("messages", remaining, async (organizationId) => {
    const { due, interrupted, isLeft } = await sweepMessages(organizationId, remaining);
    totals.due += due;
    totals.interrupted += interrupted;
    return isLeft;
  });
  return { ...visits, ...totals };
});

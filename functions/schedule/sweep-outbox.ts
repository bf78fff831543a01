import { sweepOutbox as contract } from "#contracts/jobs";
import { scheduled } from "#shared/lambda/schedule/scheduled";
import { sweepOutbox, visitMarked } from "#shared/tenant/tenant";

export const handler = scheduled(contract)(async ({ remaining }) => {
  const totals = { sent: 0, interrupted: 0 };
  const visits = await visitMarked("outbox", remaining, async (organizationId) => {
    const { sent, interrupted, isLeft } = await sweepOutbox(organizationId);
    totals.sent += sent;
    totals.interrupted += interrupted;
    return isLeft;
  });
  return { ...visits, ...totals };
});

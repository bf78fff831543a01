import { syncBilling } from "#contracts/jobs";
import { dailyBilling } from "#shared/billing/billing";
import { scheduled } from "#shared/lambda/schedule/scheduled";

export const handler = scheduled(syncBilling)(() => dailyBilling());

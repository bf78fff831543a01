import { getBilling } from "#contracts/billing";
import { billingOverview } from "#shared/billing/billing";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getBilling)(async ({ tenant }) => reply(200, await billingOverview(tenant)));

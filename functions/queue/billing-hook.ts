import { billingHookMessage } from "#contracts/billing-messages";
import { handleHook } from "#shared/billing/billing";
import { consume } from "#shared/lambda/queue/consume";

export const handler = consume(billingHookMessage)(({ payload, remaining }) => handleHook({ payload, remaining }));

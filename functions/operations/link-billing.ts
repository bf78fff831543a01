import { linkBilling } from "#contracts/operations";
import { linkAccounts } from "#shared/billing/billing";
import { operation } from "#shared/lambda/operation/operation";

export const handler = operation(linkBilling)(async (asked) => {
  const { _id, payment_customer_id = null, smsvendor_account_id = null } = await linkAccounts(asked);
  return { organization_id: _id, paymentvendor_customer_id: payment_customer_id, smsvendor_account_id };
});

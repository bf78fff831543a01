import type { PaymentState } from "#shared/tenant/tenant";

/** Of an organization without a subscription. */
export const FREE: PaymentState = {
  plan: "free",
  status: "free",
  subscription_id: null,
  current_period_end: null,
  past_due_since: null,
};

/** Whether there is nothing to tell anybody. The times of a state change with every period. */
export const isSameState = (before: PaymentState | null, after: PaymentState): boolean => {
  const { plan, status } = before ?? FREE;
  return plan === after.plan && status === after.status;
};

import type { Document } from "mongodb";
import {
  type BillingAccount,
  type OrganizationState,
  openWithState,
  type PaymentState,
  STATE_COLLECTION,
} from "#shared/tenant/tenant";
import { writeTrail } from "#shared/trail/trail";
import type { HeldLease } from "../lease.ts";
import { FREE } from "../payment-state.ts";

interface StoredBilling {
  readonly plan?: string;
  readonly status?: string;
}

type OrganizationRecord = Document & {
  _id: string;
  name: string;
  /** `fence`: of the lease under which it was written. */
  billing?: StoredBilling & { readonly fence?: number };
};

/** `organization.billing`. No query, export or function shows it. */
const billingOf = (
  { payment_customer_id, smsvendor_account_id }: BillingAccount,
  { plan, status, current_period_end, past_due_since, subscription_id }: PaymentState,
  { fence }: HeldLease,
) => ({
  plan,
  status,
  current_period_end,
  past_due_since,
  ...(payment_customer_id !== undefined && { paymentvendor_customer_id: payment_customer_id }),
  ...(subscription_id !== null && { paymentvendor_subscription_id: subscription_id }),
  ...(smsvendor_account_id !== undefined && { smsvendor_account_id }),
  fence,
});

/** Organizations are made with the plan `free` and the status `active`, which is shown as `free` later. */
const shown = ({ plan = "free", status = "free" }: StoredBilling) => ({
  plan,
  status: plan === "free" && status === "active" ? "free" : status,
});

/**
 * Writes the payment of an organization into its own database: its record, the state that every request reads, and the
 * audit trail, in one transaction. A worker whose lease has run out writes nothing over a later one.
 */
export const writePayment = async (account: BillingAccount, held: HeldLease): Promise<void> => {
  const opened = await openWithState(account._id);
  if (opened === null || opened.state.status === "deleting") return;
  const { database, state: organization } = opened;
  const state = account.state ?? FREE;
  const end = account.writes_end_at ?? null;
  const { plan, status } = state;
  await database.transaction(async (session) => {
    const isEarlier = { $or: [{ "billing.fence": { $exists: false } }, { "billing.fence": { $lte: held.fence } }] };
    const before = await database
      .collection<OrganizationRecord>("organization")
      .findOneAndUpdate(
        { _id: account._id, ...isEarlier },
        { $set: { billing: billingOf(account, state, held) } },
        { session },
      );
    if (before === null) return;
    await database
      .collection<OrganizationState>(STATE_COLLECTION)
      .updateOne(
        { _id: account._id },
        end === null ? { $unset: { writes_end_at: "" } } : { $set: { writes_end_at: end } },
        { session },
      );
    const from = shown(before.billing ?? {});
    if (from.plan === plan && from.status === status) return;
    const event = {
      action: "billing_changed" as const,
      object: "organization",
      record_id: account._id,
      called: before.name,
      details: { from, to: { plan, status }, ...(end !== null && { writes_end_at: end }) },
    };
    await writeTrail(database, { by: null, retentionDays: organization.audit_retention_days }, [event], session);
  });
};

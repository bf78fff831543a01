import { nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type BillingAccount, base, openWithState, type PaymentState } from "#shared/tenant/tenant";
import { notifyOwners } from "#shared/trail/owners/owners";
import { giveLeaseBack, type HeldLease, takeLease } from "../lease.ts";
import { FREE, isSameState } from "../payment-state.ts";
import { paymentVendor } from "../vendors/configured.ts";
import { type Later, laterAfter } from "../vendors/unavailable.ts";
import { writePayment } from "./write-payment.ts";

const DAY_MS = 86_400_000;

const writesEndOf = ({ past_due_since }: PaymentState): Date | null =>
  past_due_since === null ? null : new Date(past_due_since.getTime() + env.paymentGraceDays() * DAY_MS);

/** While a payment is missing, the time of the organization does not begin anew with a later invoice. */
const continued = (fresh: PaymentState, known: PaymentState | undefined): PaymentState => {
  const since = known?.past_due_since ?? null;
  const isEarlier = since !== null && fresh.past_due_since !== null && since < fresh.past_due_since;
  return isEarlier ? { ...fresh, past_due_since: since } : fresh;
};

/** Stores the state, and which change the owners have to be told of. Gives the account with it. */
const storeState = async (
  { _id, state: known, unannounced }: BillingAccount,
  fresh: PaymentState,
  held: HeldLease,
): Promise<BillingAccount> => {
  const state = continued(fresh, known);
  const writes_end_at = writesEndOf(state);
  const from = unannounced === undefined ? (known ?? null) : unannounced.from;
  const isChanged = !isSameState(from, state);
  const { billingAccounts } = await base();
  const stored = await billingAccounts.findOneAndUpdate(
    { _id, "lease.id": held.id },
    {
      $set: { state, writes_end_at, ...(isChanged && { unannounced: { from, to: state, writes_end_at } }) },
      ...(!isChanged && { $unset: { unannounced: "" as const } }),
    },
    { returnDocument: "after" },
  );
  if (stored === null) throw new Fault("in_progress");
  return stored;
};

/** Tells the owners, and notes it. After a crash between both they are told twice. */
const announce = async ({ _id, unannounced }: BillingAccount, held: HeldLease): Promise<void> => {
  if (unannounced === undefined) return;
  const opened = await openWithState(_id);
  if (opened !== null) {
    const { to, writes_end_at } = unannounced;
    const notice = { kind: "billing_changed" as const, plan: to.plan, status: to.status, writes_end_at };
    await notifyOwners(opened.database, notice, { origin: { by: null } });
  }
  const { billingAccounts } = await base();
  await billingAccounts.updateOne({ _id, "lease.id": held.id }, { $unset: { unannounced: "" } });
};

const syncHeld = async (account: BillingAccount, held: HeldLease): Promise<void> => {
  const { _id, payment_customer_id: customer } = account;
  const vendor = await paymentVendor();
  if (vendor === null && customer !== undefined) {
    log.warn({ organization: _id }, "no payment vendor is configured, so the payment cannot be read");
    return;
  }
  // It is read under the lease, so what a later holder reads is never older.
  const fresh = vendor === null || customer === undefined ? FREE : await vendor.paymentState(customer);
  const stored = await storeState(account, fresh, held);
  await writePayment(stored, held);
  await announce(stored, held);
};

/** Faults after which a later attempt may succeed. */
const passing: ReadonlySet<string> = new Set(["vendor_unavailable", "in_progress", "database_unavailable"]);

/**
 * Takes over the present state of an organization's payment, with its consequences. One worker at a time does that
 * for an organization, so events may come twice and in any order. `until` is in milliseconds since the epoch.
 */
export const syncPayment = async (organizationId: string, until: number): Promise<Later | undefined> => {
  const { billingAccounts } = await base();
  if ((await billingAccounts.findOne({ _id: organizationId }, { projection: { _id: 1 } })) === null) return undefined;
  try {
    const held = await takeLease(billingAccounts, organizationId, until - nowMillis(), false);
    try {
      const account = await billingAccounts.findOne({ _id: organizationId });
      if (account !== null) await syncHeld(account, held);
    } finally {
      await giveLeaseBack(billingAccounts, organizationId, held);
    }
    return undefined;
  } catch (error) {
    if (error instanceof Fault && passing.has(error.code)) return laterAfter(error);
    throw error;
  }
};

import { billingHookMessage } from "#contracts/billing-messages";
import { addToBaseOutbox, base, messageFor } from "#shared/tenant/tenant";
import { addDays, yesterday } from "./usage/days.ts";
import { type StartedRun, startUsageRun } from "./usage/start-run.ts";

/** The SMS vendor corrects the usage of past days. */
const DAYS = 3;
const BATCH = 200;

/** Has the payment of every customer read again, because events of the payment vendor may be lost. */
const checkPayments = async (): Promise<number> => {
  const { billingAccounts, transaction } = await base();
  let checked = 0;
  for (let after = ""; ; ) {
    const accounts = await billingAccounts
      .find({ _id: { $gt: after }, payment_customer_id: { $exists: true } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    const last = accounts.at(-1);
    if (last === undefined) return checked;
    await transaction(async (session) => {
      await addToBaseOutbox(
        session,
        accounts.map(({ _id }) => messageFor(billingHookMessage, { organization_id: _id }, _id)),
      );
    });
    checked += accounts.length;
    after = last._id;
  }
};

/** What is done every day: the usage of the last days is synced, and every payment is read. */
export const dailyBilling = async (): Promise<StartedRun & { readonly payments: number }> => {
  const end = yesterday();
  const run = await startUsageRun({ start: addDays(end, 1 - DAYS), end });
  return { ...run, payments: await checkPayments() };
};

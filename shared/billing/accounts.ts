import { billingHookMessage } from "#contracts/billing-messages";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { addToBaseOutbox, type BillingAccount, base, messageFor } from "#shared/tenant/tenant";

export interface AskedAccounts {
  readonly organization_id: string;
  /** Null removes it; undefined leaves it as it is. */
  readonly paymentvendor_customer_id?: string | null | undefined;
  readonly smsvendor_account_id?: string | null | undefined;
}

type Accounts = Pick<BillingAccount, "payment_customer_id" | "smsvendor_account_id">;

const changeOf = ({ paymentvendor_customer_id: customer, smsvendor_account_id: usage }: AskedAccounts) => {
  const set: Accounts = {
    ...(typeof customer === "string" && { payment_customer_id: customer }),
    ...(typeof usage === "string" && { smsvendor_account_id: usage }),
  };
  const unset: { [K in keyof Accounts]?: "" } = {
    ...(customer === null && { payment_customer_id: "" as const }),
    ...(usage === null && { smsvendor_account_id: "" as const }),
  };
  return {
    ...(Object.keys(set).length > 0 && { $set: set }),
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
    $setOnInsert: { fence: 0 },
  };
};

/**
 * Notes the accounts of an organization at the payment vendor and the SMS vendor, and has the state of its payment
 * read. Repeatable. Raises `record_not_found` for an unknown organization and a sandbox, and `conflict` for an account
 * that belongs to another organization.
 */
export const linkAccounts = async (asked: AskedAccounts): Promise<BillingAccount> => {
  const { organization_id: _id } = asked;
  const { organizations, billingAccounts, transaction } = await base();
  const entry = await organizations.findOne({ _id, is_sandbox: false }, { projection: { _id: 1 } });
  if (entry === null)
    throw new Fault("record_not_found", { message: "There is no such organization, or it is a sandbox." });
  try {
    return await transaction(async (session) => {
      const account = await billingAccounts.findOneAndUpdate({ _id }, changeOf(asked), {
        upsert: true,
        returnDocument: "after",
        session,
      });
      if (account === null) throw new Fault("conflict");
      await addToBaseOutbox(session, [messageFor(billingHookMessage, { organization_id: _id }, _id)]);
      return account;
    });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new Fault("conflict", { message: "Another organization has this account." });
  }
};

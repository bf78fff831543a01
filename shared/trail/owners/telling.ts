import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { sendMail } from "#shared/messaging/messaging";
import type { TenantDatabase } from "#shared/tenant/tenant";
import type { Origin } from "../trail.ts";
import { type OwnerNotice, ownerMail } from "./owner-mails.ts";

interface Owner {
  readonly _id: string;
  readonly email: string;
}

/** Who has owned the organization longest is told; nobody makes the platform send mails without end. */
const MOST_MAILS = 20;

const ownersOf = ({ collection }: Pick<TenantDatabase, "collection">): Promise<Owner[]> =>
  collection<Owner>("user")
    .find({ is_account_owner: true, is_active: true })
    .sort({ created_date: 1 })
    .limit(MOST_MAILS)
    .project<Owner>({ email: 1 })
    .toArray();

export interface Telling {
  readonly origin: Pick<Origin, "by" | "request_id">;
  /** Emails of those who are owners no longer. */
  readonly also?: readonly string[];
  /** The id of a user who need not be told: it is what they have done themselves. */
  readonly except?: string;
}

/**
 * Tells the organization's owners by mail. Only after what it tells of has been committed, and it never raises: what has
 * happened stays so, whether or not the mails can be sent.
 */
export const tellOwners = async (
  database: Pick<TenantDatabase, "collection" | "organization_id">,
  notice: OwnerNotice,
  { origin, also = [], except }: Telling,
): Promise<void> => {
  const { organization_id } = database;
  const { by, request_id } = origin;
  const circumstances = {
    by: by === null ? "an operator of the platform, outside of the organization" : `${by.name} (${by.email})`,
    at: now(),
    organization_id,
    ...(request_id && { request_id }),
  };
  try {
    const owners = (await ownersOf(database)).filter(({ _id }) => _id !== except);
    const emails = [...new Set([...also, ...owners.map(({ email }) => email)])].slice(0, MOST_MAILS);
    const sent = await Promise.allSettled(emails.map((to) => sendMail(ownerMail(to, notice, circumstances))));
    const failed = sent.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  } catch (error) {
    const err = error instanceof Fault ? (error.cause ?? error) : error;
    log.error({ err, organization: organization_id, notice: notice.kind }, "the owners could not be told by mail");
  }
};

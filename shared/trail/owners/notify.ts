import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { mailOwners } from "#shared/platform-mail/platform-mail";
import type { TenantDatabase } from "#shared/tenant/tenant";
import type { Origin } from "../trail.ts";
import { type OwnerNotice, ownerMail } from "./owner-mails.ts";

interface Owner {
  readonly _id: string;
  readonly email: string;
}

/** The longest-standing owners are told. The limit prevents misuse of the platform for mass mails. */
const MOST_MAILS = 20;

const ownersOf = ({ collection }: Pick<TenantDatabase, "collection">): Promise<Owner[]> =>
  collection<Owner>("user")
    .find({ is_account_owner: true, is_active: true })
    .sort({ created_date: 1 })
    .limit(MOST_MAILS)
    .project<Owner>({ email: 1 })
    .toArray();

export interface NoticeOptions {
  readonly origin: Pick<Origin, "by" | "request_id">;
  /** Emails of former owners. */
  readonly also?: readonly string[];
  /** The id of a user who is not told, because they did it themselves. */
  readonly except?: string;
}

/**
 * Mails the organization's owners. Called after the commit. It never raises, because the change is valid without the
 * mails.
 */
export const notifyOwners = async (
  database: Pick<TenantDatabase, "collection" | "organization_id" | "is_sandbox">,
  notice: OwnerNotice,
  { origin, also = [], except }: NoticeOptions,
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
    const mails = emails.map((to) => ownerMail(to, notice, circumstances));
    await mailOwners(database, mails);
  } catch (error) {
    const err = error instanceof Fault ? (error.cause ?? error) : error;
    log.error({ err, organization: organization_id, notice: notice.kind }, "the owners could not be told by mail");
  }
};
